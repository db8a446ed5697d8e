import Foundation

/// An exchange of names between a new file or folder and the one that it replaces, in which no
/// process loses a file that it did not know of (decision 0067).
///
/// The new file is given a temporary name that holds the fingerprints of both contents, then it
/// exchanges names with the file at the path. What has the temporary name after that is removed if
/// it has one of the two fingerprints. Anything else is a file of another program: it is put back.
/// Because the name says all this, another process can end the exchange after a crash.
struct FileExchange: Sendable {
    /// Exchanges two names, as ``PosixFile/exchange(_:_:)`` does. Tests use other functions.
    typealias Swap = @Sendable (String, String) throws(FileFailure) -> Bool

    private let target: DurableFile
    /// The fingerprints of the new content, and of the one that it replaces.
    private let new: String
    private let expected: String

    init(of new: FileStamp, for expected: FileStamp, at target: DurableFile) {
        self.target = target
        (self.new, self.expected) = (new.fingerprint, expected.fingerprint)
    }

    /// Takes an exchange from the temporary name that a process gave it. Returns `nil` for a name of
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

    private static func prefix(of target: DurableFile) -> String { ".\(target.name).replacing-" }

    /// The temporary name.
    var path: String { "\(target.folder)/\(Self.prefix(of: target))\(new)-\(expected)" }

    /// Looks at the file that has the temporary name now, and removes it or puts it back.
    ///
    /// - Returns: whether the new content has replaced the expected one. If not, the target has
    ///   another content, or does not exist.
    /// - Throws: if that cannot be found out. Only the two known contents are ever removed.
    func settle(_ swap: Swap = PosixFile.exchange) throws(FileFailure) -> Bool {
        switch try FileStamp(named: path).fingerprint {
        case expected:
            target.discard(path)
            return true
        case new: target.discard(path)
        case let other: try putBack(other, swap)
        }
        return false
    }

    /// Puts a file of another program back at the path, unless a newer one is there.
    private func putBack(_ taken: String, _ swap: Swap) throws(FileFailure) {
        // If the target is not the new file, another program has replaced or removed the new file.
        // That was later, so the file that was taken out stays under its temporary name.
        guard try target.isThere(new) else { return }
        var (current, taken) = (new, taken)
        for _ in 0..<Self.mostSwaps {
            guard try swap(path, target.path) else {
                throw FileFailure(operation: "exchange with", path: target.path, code: EINVAL)
            }
            let cameOut = try FileStamp(named: path).fingerprint
            if cameOut == current {
                if current == new { target.discard(path) }
                // So that a power cut does not bring the new content back.
                return try target.synchronizeFolder()
            }
            // This is yet another file, which replaced the target since the last swap. It is the
            // newest.
            (current, taken) = (taken, cameOut)
        }
        throw FileFailure(operation: "exchange with", path: target.path, code: EBUSY)
    }

    /// Each swap but the first needs another program that replaced the file within microseconds.
    private static let mostSwaps = 10
}

extension DurableFile {
    /// Whether a content of this fingerprint is at the path.
    fileprivate func isThere(_ fingerprint: String) throws(FileFailure) -> Bool {
        do throws(FileFailure) {
            return try FileStamp(named: path).fingerprint == fingerprint
        } catch {
            if error.code == ENOENT { return false }
            throw error
        }
    }
}
