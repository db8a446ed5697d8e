import CairnRows

/// A frame around bytes in a file that shows whether they are complete: u64 length, u64 checksum,
/// and the content.
///
/// After a crash, the last bytes may have been written only in part. The checksum lets a reader
/// detect that.
public enum ChecksummedFrame {
    /// Returns the bytes to write: a length and a checksum, followed by the content.
    public static func frame(_ content: [UInt8]) -> [UInt8] {
        bytes(of: UInt64(content.count)) + bytes(of: content.withUnsafeBytes(Checksum.of))
            + content
    }

    /// Returns the contents of the frames at the start of the bytes, up to the first incomplete
    /// frame, and the total length of these frames.
    public static func read(
        _ bytes: [UInt8]
    ) -> (contents: [[UInt8]], byteCount: Int) {
        bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            var (contents, byteCount) = ([[UInt8]](), 0)
            while let length = reader.integer(UInt64.self),
                let checksum = reader.integer(UInt64.self),
                let content = Int(exactly: length).flatMap({ reader.take($0) }),
                Checksum.of(content) == checksum
            {
                contents.append(Array(content))
                byteCount = reader.offset
            }
            return (contents, byteCount)
        }
    }

    private static func bytes(of number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}
