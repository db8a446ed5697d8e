import CairnSAX
import Foundation

/// The names of types and properties in a document, each stored once and identified by a number.
///
/// Objects usually have their elements in the same order as the previous object. Therefore, a name is first
/// compared with the one that followed the previous name the last time.
struct DocumentNames {
    private var texts: [String] = []
    private var numbers: [String: Int] = [:]
    /// The UTF-8 of all names.
    private var bytes: [UInt8] = []
    /// The range of each name in ``bytes``.
    private var byteRanges: [Range<Int>] = []
    /// For each name, the number of the name that followed it the last time.
    private var followers: [Int] = []
    private var last = 0

    /// The number of names.
    var count: Int { texts.count }

    /// The name with a number.
    subscript(number: Int) -> String { texts[number] }

    /// Returns the number of a name. Adds the name if it is new.
    ///
    /// - Parameter value: The value of an attribute as the parser provides it.
    mutating func number(of value: UnsafeBufferPointer<UInt8>) -> Int {
        if texts.isEmpty { return add(SAXAttributes.text(value)) }
        let guess = followers[last]
        let number = isWritten(guess, value) ? guess : add(SAXAttributes.text(value))
        followers[last] = number
        last = number
        return number
    }

    /// Returns whether a value from the parser is the name with a number. Returns `false` if the value
    /// contains an ampersand.
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
