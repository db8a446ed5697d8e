import Foundation

/// The names of types and properties in a document by number, each kept once.
///
/// The elements of one object mostly follow each other as those of the one before did: so the name
/// that came next the last time is tried first.
struct DocumentNames {
    private struct Name {
        let text: String
        let bytes: [UInt8]
        /// The name that came behind this one the last time.
        var next = 0

        /// Whether a value of the parser's is this name. One with an ampersand never seems so.
        func isWritten(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
            guard value.count == bytes.count, let start = value.baseAddress else { return false }
            return memcmp(start, bytes, bytes.count) == 0
        }
    }

    private var names: [Name] = []
    private var numbers: [String: Int] = [:]
    private var last = 0

    /// How many names there are.
    var count: Int { names.count }

    /// The name of a number.
    subscript(number: Int) -> String { names[number].text }

    /// Returns the number of a name.
    ///
    /// - Parameter value: an attribute's value as the parser has it.
    mutating func number(of value: UnsafeBufferPointer<UInt8>) -> Int {
        if names.isEmpty { return add(SAXAttributes.text(value)) }
        let guess = names[last].next
        let number =
            names[guess].isWritten(value) ? guess : add(SAXAttributes.text(value))
        names[last].next = number
        last = number
        return number
    }

    private mutating func add(_ text: String) -> Int {
        if let number = numbers[text] { return number }
        numbers[text] = names.count
        names.append(Name(text: text, bytes: Array(text.utf8)))
        return names.count - 1
    }
}
