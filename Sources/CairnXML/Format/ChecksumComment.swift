import CairnRows

/// A comment after the document that contains the checksum of the whole file. Readers that do not know about
/// it ignore the comment, and a program that rewrites the file does not write it.
enum ChecksumComment {
    private static let start = Array("<!-- cairn checksum ".utf8)
    private static let end = Array(" -->\n".utf8)
    private static let byteCount = start.count + 16 + end.count

    /// Returns the comment for the bytes that precede it.
    static func text(for bytes: UnsafeRawBufferPointer) -> [UInt8] {
        let digits = String(Checksum.of(bytes), radix: 16)
        return start + Array(String(repeating: "0", count: 16 - digits.count).utf8)
            + Array(digits.utf8) + end
    }

    /// Returns whether the checksum matches the bytes that precede it. Returns `true` if there is no
    /// checksum.
    static func isValid(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= byteCount else { return true }
        let comment = bytes[(bytes.count - byteCount)...]
        guard comment.starts(with: start) else { return true }
        return bytes.withUnsafeBytes { bytes in
            let content = UnsafeRawBufferPointer(rebasing: bytes[..<comment.startIndex])
            return comment.elementsEqual(text(for: content))
        }
    }
}
