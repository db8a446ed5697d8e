import Foundation

/// A file system in memory with room for a few megabytes.
public final class SmallDisk {
    /// Where it is mounted.
    public let folder: TemporaryFolder

    /// Returns `nil`, having said so, if this user may not mount one.
    ///
    /// - Parameter test: what is not run then.
    public init?(for test: String, megabyteCount: Int = 1) throws {
        folder = try TemporaryFolder()
        guard mount("none", folder.url.path, "tmpfs", 0, "size=\(megabyteCount)m") == 0 else {
            print("\(test): not run, as mounting failed with errno \(errno)")
            return nil
        }
    }

    deinit { umount2(folder.url.path, Int32(MNT_DETACH)) }

    private var filler: URL { folder.file("filler") }

    /// Leaves no room. Returns whether the disk is full.
    @discardableResult
    public func fill() -> Bool {
        let descriptor = open(filler.path, O_WRONLY | O_CREAT, 0o600)
        defer { close(descriptor) }
        let bytes = [UInt8](repeating: 1, count: 4096)
        while write(descriptor, bytes, bytes.count) > 0 {}
        return errno == ENOSPC
    }

    /// Gives the room back that ``fill()`` took.
    public func empty() { unlink(filler.path) }
}
