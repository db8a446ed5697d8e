import CairnSAX
import Foundation

/// The names of types and properties in a document by number, each kept once.
///
/// The elements of an object are usually in the same order as those of the object before. Therefore
/// the name that followed the last one the time before is tried first.
struct DocumentNames {
    private var texts: [String] = []
    private var numbers: [String: Int] = [:]
    /// The UTF-8 of all names.
    private var bytes: [UInt8] = []
    /// The range of each name in ``bytes``.
    private var byteRanges: [Range<Int>] = []
    /// The number of the name that followed each name the last time.
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

    /// Whether a value of the parser is the name of a number. Returns `false` for a value with an
    /// ampersand.
    private func isWritten(_ name: Int, _ value: UnsafeBufferPointer<UInt8>) -> Bool {
        let range = byteRanges[name]
        guard value.count == range.count, let start = value.baseAddress else { return false }
        return bytes.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { memcmp(start, $0 + range.lowerBound, range.count) == 0 }
                ?? false
        }
    }

    private mutating func add(_ text: String) -> Int {
        if let number = numbers[text] { return number }
        numbers[text] = texts.count
        let start = bytes.count
        bytes += text.utf8
        texts.append(text)
        byteRanges.append(start..<bytes.count)
        followers.append(0)
        return texts.count - 1
    }
}
