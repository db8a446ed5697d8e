import Foundation

/// An exchange of names between a new file or folder and the one that it replaces. It never removes
/// a file that the process did not know of (docs/decisions/replaced-files.md).
///
/// The new file gets a temporary name that contains the fingerprints of both contents. Then it
/// exchanges names with the target. The file that has the temporary name afterwards is removed if
/// it has one of the two fingerprints. Otherwise it is a file of another program, and is restored.
/// The temporary name contains everything that is needed to decide this, so another process can
/// complete the exchange after a crash.
struct FileExchange: Sendable {
    /// A function that exchanges two names, as ``PosixFile/exchange(_:_:)`` does. Tests use other
    /// functions.
    typealias Swap = @Sendable (String, String) throws(FileFailure) -> Bool

    private let target: DurableFile
    /// The fingerprint of the new content. ``expected`` is the fingerprint of the content that it
    /// replaces.
    private let new: String
    private let expected: String

    init(of new: FileStamp, for expected: FileStamp, at target: DurableFile) {
        self.target = target
        (self.new, self.expected) = (new.fingerprint, expected.fingerprint)
    }

    /// Creates the exchange that a temporary name describes. Returns `nil` if the name is of
    /// another kind.
    init?(named name: String, at target: DurableFile) {
        let prefix = Self.prefix(of: target)
        let fingerprints = name.dropFirst(prefix.count).split(separator: "-").map(String.init)
        guard name.hasPrefix(prefix), fingerprints.count == 2,
            fingerprints.allSatisfy({ $0.utf8.count == FileStamp.fingerprintLength })
        else { return nil }
        self.target = target
        (new, expected) = (fingerprints[0], fingerprints[1])
    }

    private static func prefix(of target: DurableFile) -> String {
        ".\(TemporaryName.stem(of: target.name)).replacing-"
    }

    /// The temporary name.
    var path: String { "\(target.folder)/\(Self.prefix(of: target))\(new)-\(expected)" }

    /// Removes or restores the file that has the temporary name now.
    ///
    /// - Parameter restoresLinked: whether to restore the old file if it has another name (a hard
    ///   link), because that name would keep the old content.
    /// - Returns: whether the new content has replaced the expected one. If not, the target has
    ///   another content, or does not exist.
    /// - Throws: a failure if that cannot be determined. Only the two known contents are ever
    ///   removed.
    func settle(
        _ swap: Swap = PosixFile.exchange, restoresLinked: Bool = false
    ) throws(FileFailure) -> Bool {
        switch try FileStamp(named: path).fingerprint {
        case expected where restoresLinked && hasOtherName: try putBack(expected, swap)
        case expected:
            target.discard(path)
            return true
        case new: target.discard(path)
        case let other: try putBack(other, swap)
        }
        return false
    }

    /// Whether the file with the temporary name has other names. Folders have none.
    private var hasOtherName: Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            && status.st_nlink > 1
    }

    /// Restores the file that was moved away at the target's path, unless a newer file is there.
    private func putBack(_ taken: String, _ swap: Swap) throws(FileFailure) {
        // If the target is not the new file any more, another program has replaced or removed the
        // new file later. The file that was moved away then keeps its temporary name.
        guard try target.isThere(new) else { return }
        var (current, taken) = (new, taken)
        for _ in 0..<Self.mostSwaps {
            guard try swap(path, target.path) else {
                throw FileFailure(operation: "exchange with", path: target.path, code: EINVAL)
            }
            let cameOut = try FileStamp(named: path).fingerprint
            if cameOut == current {
                if current == new { target.discard(path) }
                // Make sure that a power failure does not bring the new content back.
                return try target.synchronizeFolder()
            }
            // The file that came out is yet another file. It replaced the target since the last
            // swap, so it is the newest.
            (current, taken) = (taken, cameOut)
        }
        throw FileFailure(operation: "exchange with", path: target.path, code: EBUSY)
    }

    /// Each swap after the first is only needed if another program replaced the file within
    /// microseconds.
    private static let mostSwaps = 10
}

extension DurableFile {
    /// Returns whether the file at the path has the fingerprint.
    fileprivate func isThere(_ fingerprint: String) throws(FileFailure) -> Bool {
        do {
            return try FileStamp(named: path).fingerprint == fingerprint
        } catch {
            if error.code == ENOENT { return false }
            throw error
        }
    }
}
