/// Finds the part of a document before its objects without a parser, so that the metadata and the model can
/// be read without the objects.
enum HeadBytes {
    private static let end = Array("</databaseInfo>".utf8)
    private static let rest = Array("</database>".utf8)

    /// Returns the number of bytes up to the end of the head. Returns `nil` if the end is not found, or if it
    /// is preceded by a comment or a CDATA section, which may contain text that only looks like the end.
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

    /// Returns the head as a document without objects. If the bytes are not a head, returns them unchanged.
    static func document(_ bytes: [UInt8]) -> [UInt8] {
        isHead(bytes) ? bytes + rest : bytes
    }

    /// Returns whether the bytes end at the end of the head, which a whole document never does.
    static func isHead(_ bytes: [UInt8]) -> Bool { bytes.suffix(end.count).elementsEqual(end) }
}
