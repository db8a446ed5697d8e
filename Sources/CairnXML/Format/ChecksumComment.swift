import CairnStore

/// The checksum of the whole, as a comment after the document: readers that do not know it pass
/// over it, and a program that writes the whole file again leaves it out.
enum ChecksumComment {
    private static let start = Array("<!-- cairn checksum ".utf8)
    private static let end = Array(" -->\n".utf8)
    private static let byteCount = start.count + 16 + end.count

    /// The comment for the bytes before it.
    static func text(for bytes: UnsafeRawBufferPointer) -> [UInt8] {
        let digits = String(Checksum.of(bytes), radix: 16)
        return start + Array(String(repeating: "0", count: 16 - digits.count).utf8)
            + Array(digits.utf8) + end
    }

    /// Whether the checksum is that of the bytes before it; true where there is none.
    static func isSound(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= byteCount else { return true }
        let comment = bytes[(bytes.count - byteCount)...]
        guard comment.starts(with: start) else { return true }
        return bytes.withUnsafeBytes { bytes in
            let content = UnsafeRawBufferPointer(rebasing: bytes[..<comment.startIndex])
            return comment.elementsEqual(text(for: content))
        }
    }
}
