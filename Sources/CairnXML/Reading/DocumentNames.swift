import CairnSAX
import Foundation

/// The names of types and properties in a document by number, each kept once.
///
/// The elements of one object mostly follow each other as those of the one before did: so the name
/// that came next the last time is tried first.
struct DocumentNames {
    private var texts: [String] = []
    private var numbers: [String: Int] = [:]
    /// The bytes of all names, and where each begins and ends in them.
    private var bytes: [UInt8] = []
    private var places: [Range<Int>] = []
    /// The name that came after each the last time.
    private var followers: [Int] = []
    private var last = 0

    /// How many names there are.
    var count: Int { texts.count }

    /// The name of a number.
    subscript(number: Int) -> String { texts[number] }

    /// Returns the number of a name.
    ///
    /// - Parameter value: an attribute's value as the parser has it.
    mutating func number(of value: UnsafeBufferPointer<UInt8>) -> Int {
        if texts.isEmpty { return add(SAXAttributes.text(value)) }
        let guess = followers[last]
        let number = isWritten(guess, value) ? guess : add(SAXAttributes.text(value))
        followers[last] = number
        last = number
        return number
    }

    /// Whether a value of the parser's is a name. One with an ampersand never seems so.
    private func isWritten(_ name: Int, _ value: UnsafeBufferPointer<UInt8>) -> Bool {
        let place = places[name]
        guard value.count == place.count, let start = value.baseAddress else { return false }
        return bytes.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { memcmp(start, $0 + place.lowerBound, place.count) == 0 }
                ?? false
        }
    }

    private mutating func add(_ text: String) -> Int {
        if let number = numbers[text] { return number }
        numbers[text] = texts.count
        let start = bytes.count
        bytes += text.utf8
        texts.append(text)
        places.append(start..<bytes.count)
        followers.append(0)
        return texts.count - 1
    }
}
