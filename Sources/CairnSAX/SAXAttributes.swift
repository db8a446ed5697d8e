import CairnCLibXML2
import Foundation

/// The attributes of an element, in the memory of the parser.
package struct SAXAttributes {
    /// Five pointers for each attribute: the local name, the prefix, the namespace, and the start and the end
    /// of the value.
    @usableFromInline let pointers: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    @usableFromInline let count: Int

    @inlinable init(
        pointers: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, count: Int
    ) {
        self.pointers = pointers
        self.count = count
    }

    /// Returns the value as the parser provides it, or `nil` if there is no such attribute. This is the text
    /// of the value, unless it contains an ampersand.
    @inlinable @inline(__always)
    package func bytes(_ name: StaticString) -> UnsafeBufferPointer<UInt8>? {
        guard let pointers else { return nil }
        for index in 0..<count {
            guard let key = pointers[5 * index], SAXName(start: key) == name,
                let start = pointers[5 * index + 3], let end = pointers[5 * index + 4]
            else { continue }
            return UnsafeBufferPointer(start: start, count: end - start)
        }
        return nil
    }

    /// The text of an attribute, or `nil` if there is no such attribute.
    package subscript(name: StaticString) -> String? { bytes(name).map(Self.text) }

    /// The values of all attributes by name.
    package var texts: [String: String] {
        guard let pointers else { return [:] }
        var texts: [String: String] = [:]
        for index in 0..<count {
            guard let key = pointers[5 * index], let start = pointers[5 * index + 3],
                let end = pointers[5 * index + 4]
            else { continue }
            texts[String(cString: key)] = Self.text(
                UnsafeBufferPointer(start: start, count: end - start))
        }
        return texts
    }

    /// Returns the text of a value. Without `XML_PARSE_NOENT`, libxml2 passes each ampersand in a value as
    /// `&#38;`.
    package static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.utf8.contains(UInt8(ascii: "&"))
            ? text.split(separator: "&#38;", omittingEmptySubsequences: false)
                .joined(separator: "&")
            : text
    }
}

/// The name of an element or attribute, in the memory of the parser.
package struct SAXName {
    @usableFromInline let start: UnsafePointer<xmlChar>

    @inlinable init(start: UnsafePointer<xmlChar>) { self.start = start }

    package var text: String { String(cString: start) }

    /// Compares byte by byte, because most names already differ in the first one.
    @inlinable @inline(__always)
    package static func == (left: SAXName, right: StaticString) -> Bool {
        var (left, right) = (left.start, right.utf8Start)
        while left.pointee == right.pointee {
            if left.pointee == 0 { return true }
            left += 1
            right += 1
        }
        return false
    }
}
