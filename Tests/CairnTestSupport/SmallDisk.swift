import Foundation

/// An in-memory file system of a few megabytes.
public final class SmallDisk {
    /// The mount point.
    public let folder: TemporaryFolder

    /// Mounts the file system. Prints a message and returns `nil` if this user may not mount one.
    ///
    /// - Parameter test: The name of the test that is then skipped.
    public init?(for test: String, megabyteCount: Int = 1) throws {
        folder = try TemporaryFolder()
        guard mount("none", folder.url.path, "tmpfs", 0, "size=\(megabyteCount)m") == 0 else {
            print("\(test): not run, as mounting failed with errno \(errno)")
            return nil
        }
    }

    deinit { umount2(folder.url.path, Int32(MNT_DETACH)) }

    private var filler: URL { folder.file("filler") }

    /// Fills the disk. Returns whether the disk is full.
    @discardableResult
    public func fill() -> Bool {
        let descriptor = open(filler.path, O_WRONLY | O_CREAT, 0o600)
        defer { close(descriptor) }
        let bytes = [UInt8](repeating: 1, count: 4096)
        while write(descriptor, bytes, bytes.count) > 0 {}
        return errno == ENOSPC
    }

    /// Releases the space that ``fill()`` occupied.
    public func empty() { unlink(filler.path) }
}
