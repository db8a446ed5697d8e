import CairnFiles
import Foundation

extension FileStore where Self: SelfCheckingStore {
    /// Adds up the lengths of the store's file and its companion files. Folders count with all of
    /// their content.
    public func byteCount() throws(StoreError) -> Int? {
        try Self.byteCount(at: request.location)
    }
}

extension FileStore {
    /// Adds up the lengths of a store's files. The store need not be open. Returns `nil` if the
    /// location is not a file.
    ///
    /// - Throws: `.fileFailure`.
    package static func byteCount(at location: StoreLocation) throws(StoreError) -> Int? {
        guard let url = location.fileURL else { return nil }
        var byteCount = try url.byteCount()
        for file in companionFiles(of: location) {
            byteCount += try file.url.byteCount(followingLink: false)
        }
        return byteCount
    }
}

extension URL {
    /// Returns the length of a file, or the total length of all files in a folder. Returns 0 if
    /// nothing is there. A symbolic link in a folder counts as nothing.
    package func byteCount() throws(StoreError) -> Int { try byteCount(followingLink: true) }

    /// - Parameter followingLink: whether to follow a symbolic link at this URL. If `false`, it
    ///   counts as nothing.
    package func byteCount(followingLink: Bool) throws(StoreError) -> Int {
        let status: stat
        do throws(FileFailure) {
            let path = followingLink ? RealPath.of(path) : path
            guard let found = try PosixFile.companionStatus(path) else { return 0 }
            status = found
        } catch {
            throw .fileFailure(error)
        }
        if status.st_mode & S_IFMT == S_IFLNK { return 0 }
        guard status.st_mode & S_IFMT == S_IFDIR else { return Int(status.st_size) }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw .fileFailure(FileFailure(operation: "opendir", path: path, code: errno))
        }
        var byteCount = 0
        for name in names { byteCount += try appending(path: name).byteCount(followingLink: false) }
        return byteCount
    }
}
