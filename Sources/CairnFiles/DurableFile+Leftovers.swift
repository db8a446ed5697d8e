import Foundation

/// The files that a process leaves beside a file if it dies while it writes the file.
extension DurableFile {
    /// Returns a path beside the file to which only this process writes. A file with such a name
    /// may be removed.
    func newTemporaryPath() -> String {
        let suffix = String(UInt64.random(in: 0..<1 << 30) | 1 << 30, radix: 32)
        return folder + "/" + temporaryPrefix + suffix
    }

    private var temporaryPrefix: String { ".\(name).saving-" }

    private func isTemporary(_ other: String) -> Bool {
        other.hasPrefix(temporaryPrefix) && other.utf8.count == temporaryPrefix.utf8.count + 7
    }

    /// Whether processes have died while they wrote this file, or are writing it now.
    package var hasLeftovers: Bool {
        (try? FileManager.default.contentsOfDirectory(atPath: folder))?
            .contains { isTemporary($0) || FileExchange(named: $0, at: self) != nil } ?? false
    }

    /// Removes the temporary files of processes that died while they wrote this file, and completes
    /// their exchanges. If such an exchange had moved away a file of another program, that file is
    /// restored.
    ///
    /// - Precondition: the caller holds a lock that keeps others from writing the file.
    package func settleLeftovers() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names {
            if isTemporary(name) {
                try? FileManager.default.removeItem(atPath: folder + "/" + name)
            } else if let exchange = FileExchange(named: name, at: self) {
                _ = try? exchange.settle()
            }
        }
    }

    /// Removes a file or folder of this process that has another kind of temporary name.
    ///
    /// A folder cannot be removed in one step. Therefore it first gets a new temporary name, so
    /// that whatever is left of it can be removed later. If the renaming fails, the folder is left
    /// for ``settleLeftovers()``.
    func discard(_ leftover: String) {
        if unlink(leftover) == 0 { return }
        let temporary = newTemporaryPath()
        guard rename(leftover, temporary) == 0 else { return }
        try? FileManager.default.removeItem(atPath: temporary)
    }
}
