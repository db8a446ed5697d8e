/// Bytes in a file that tell whether they are complete: u64 length, u64 checksum, and the content.
///
/// A crash can leave a part of what was written last. A reader finds that out by the checksum.
public enum ChecksummedFrame {
    /// Returns a frame around some content.
    public static func frame(_ content: [UInt8]) -> [UInt8] {
        bytes(of: UInt64(content.count)) + bytes(of: content.withUnsafeBytes(Checksum.of))
            + content
    }

    /// Returns the content of the frames at the beginning of some bytes, up to the first frame that is
    /// not complete, and how many bytes these frames have.
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
