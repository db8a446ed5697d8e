import CairnCLibXML2

/// The attributes of an element.
struct SAXAttributes {
    /// Five pointers each: local name, prefix, namespace, and the value's two ends.
    let pointers: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    let count: Int

    /// The value as the parser has it, which is its text unless there is an ampersand in it;
    /// nil where there is no such attribute.
    @inline(__always) func bytes(_ name: StaticString) -> UnsafeBufferPointer<UInt8>? {
        guard let pointers else { return nil }
        for index in 0..<count {
            guard let key = pointers[5 * index], SAXName(start: key) == name,
                let start = pointers[5 * index + 3], let end = pointers[5 * index + 4]
            else { continue }
            return UnsafeBufferPointer(start: start, count: end - start)
        }
        return nil
    }

    /// The value; nil where there is no such attribute.
    subscript(name: StaticString) -> String? { bytes(name).map(Self.text) }

    /// Without `XML_PARSE_NOENT`, libxml2 hands out every ampersand of a value as `&#38;`.
    static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.utf8.contains(UInt8(ascii: "&"))
            ? text.split(separator: "&#38;", omittingEmptySubsequences: false)
                .joined(separator: "&")
            : text
    }
}
