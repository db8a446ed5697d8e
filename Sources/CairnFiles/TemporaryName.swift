/// The names of temporary files and folders beside a file, which begin with the file's name.
package enum TemporaryName {
    /// The greatest length of a file name in bytes (`NAME_MAX`).
    package static let greatestLength = 255
    /// The length in bytes from which a name is shortened. The whole path must be short, too: SQLite opens
    /// paths of at most 512 bytes, and a copy is made in a folder with a temporary name.
    private static let longestWhole = 64
    private static let shortenedLength = 40

    /// Returns the part of a temporary name that stands for a file's name: the name itself, or its beginning
    /// and a fingerprint of the whole name if the name is long.
    package static func stem(of name: String) -> String {
        guard name.utf8.count > longestWhole else { return name }
        var end = name.startIndex
        while end < name.endIndex {
            let next = name.unicodeScalars.index(after: end)
            guard name.utf8.distance(from: name.startIndex, to: next) <= shortenedLength else {
                break
            }
            end = next
        }
        // FNV-1a, as in `FileStamp.fingerprint`.
        let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        return "\(name[..<end])~\(String(hash, radix: 32))"
    }
}
