/// The part of a document before its objects, found without a parser, so that metadata and model
/// can be read without the objects.
enum HeadBytes {
    private static let end = Array("</databaseInfo>".utf8)
    private static let rest = Array("</database>".utf8)

    /// Returns how many bytes there are up to the end of the head. Returns `nil` if the end is not found,
    /// or if a comment or a section before it may contain what only looks like the end.
    static func count(_ bytes: [UInt8]) -> Int? {
        var index = 0
        while let start = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
            let markup = bytes[start...]
            if markup.starts(with: end) { return start + end.count }
            if markup.starts(with: "<!--".utf8) || markup.starts(with: "<![".utf8) { return nil }
            index = start + 1
        }
        return nil
    }

    /// Returns a document without objects, if the bytes are a head. Returns the bytes otherwise.
    static func document(_ bytes: [UInt8]) -> [UInt8] {
        isHead(bytes) ? bytes + rest : bytes
    }

    /// Whether the bytes end with the head, as no document does.
    static func isHead(_ bytes: [UInt8]) -> Bool { bytes.suffix(end.count).elementsEqual(end) }
}
