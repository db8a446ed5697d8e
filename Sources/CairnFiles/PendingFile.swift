import Foundation
import Synchronization

#if os(Linux)
import CairnCLinux
#endif

/// A durable temporary file or folder that is about to take another one's place; removed where it
/// does not.
package final class PendingFile: Sendable {
    private let held: HeldFile
    private let target: DurableFile
    /// The temporary name that goes with this object; `nil` if what has it is not ours to remove.
    private let temporary: Mutex<String?>

    init(_ held: HeldFile, replacing target: DurableFile) {
        self.held = held
        self.target = target
        temporary = Mutex(held.path)
    }

    deinit { remove() }

    /// Removes the temporary file; nothing after it took its place.
    package func remove() {
        let path = temporary.withLock { path in path.take() }
        if let path { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Shares the file before anybody sees it; see ``HeldFile/lock(isShared:)``.
    package func share() { _ = held.lock(isShared: true) }

    /// Puts the file in the place of whatever file is there, or of none.
    ///
    /// The new content is seen from then on, and durable after ``DurableFile/synchronizeFolder()``.
    ///
    /// - Returns: the file, held open.
    /// - Throws: if it cannot be renamed; everything is as it was then.
    @discardableResult
    package func replace() throws(FileFailure) -> HeldFile {
        guard rename(held.path, target.path) == 0 else { throw target.failure("rename to") }
        temporary.withLock { $0 = nil }
        return held
    }

    /// Puts the file at its name, unless a file is there.
    ///
    /// - Returns: the file, held open. `nil` if there is one by now.
    /// - Throws: if it cannot be put there; nothing has changed then.
    package func create() throws(FileFailure) -> HeldFile? {
        guard try PosixFile.publish(held.path, as: target.path) else { return nil }
        temporary.withLock { $0 = nil }
        return held
    }
}

// MARK: Replacing a known content

extension PendingFile {
    /// What came of ``replace(_:swap:)``.
    package enum Replacement: Sendable {
        /// The new file is there; it is held open.
        case done(HeldFile)
        /// Another program had put its own file there, or removed the new one at once. Nothing of
        /// the other program's is changed.
        case anotherFile
        /// The exchange was begun and could not be ended. ``DurableFile/settleLeftovers()`` ends it.
        case unknown(FileFailure)
    }

    /// Puts the file in the place of a content that the caller knows, and of no other.
    ///
    /// A file that another program put there in the meantime gets its place back: see
    /// ``FileExchange``. On a file system that cannot exchange names, what is there is looked at
    /// right before it is replaced. A folder cannot be replaced there.
    ///
    /// - Parameter expected: the content that is to be replaced.
    /// - Throws: if it cannot be put there; nothing has changed then. `ENOENT` if nothing is there.
    package func replace(_ expected: FileStamp) throws(FileFailure) -> Replacement {
        try replace(expected, swap: PosixFile.exchange)
    }

    func replace(
        _ expected: FileStamp, swap: FileExchange.Swap
    ) throws(FileFailure) -> Replacement {
        let exchange = FileExchange(of: try held.stamp(), for: expected, at: target)
        guard rename(held.path, exchange.path) == 0 else {
            // The temporary name is longer than the one that the file had.
            if errno == ENAMETOOLONG { return try replaceAfterLook(expected, held.path) }
            throw target.failure("rename beside")
        }
        temporary.withLock { $0 = nil }
        let isSwapped = Result { () throws(FileFailure) in try swap(exchange.path, target.path) }
        guard case .success(true) = isSwapped else {
            temporary.withLock { $0 = exchange.path }
            _ = try isSwapped.get()
            return try replaceAfterLook(expected, exchange.path)
        }
        do throws(FileFailure) {
            return try exchange.settle(swap) ? .done(held) : .anotherFile
        } catch {
            return .unknown(error)
        }
    }

    /// The way without an exchange: between the look and the rename there is an instant.
    private func replaceAfterLook(
        _ expected: FileStamp, _ path: String
    ) throws(FileFailure) -> Replacement {
        if held.isFolder {
            throw FileFailure(operation: "exchange with", path: target.path, code: EINVAL)
        }
        guard try FileStamp(named: target.path).hasContent(of: expected) else {
            return .anotherFile
        }
        guard rename(path, target.path) == 0 else { throw target.failure("rename to") }
        temporary.withLock { $0 = nil }
        return .done(held)
    }
}
