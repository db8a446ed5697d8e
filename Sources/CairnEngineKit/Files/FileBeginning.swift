import CairnFiles
import CairnModel
import CairnStore
import Foundation

/// The first bytes of a file that may be a store, read without disturbing other users of the file.
///
/// Closing any descriptor of a file releases the POSIX locks that a library in this process, such
/// as SQLite, has on the file. Therefore this type does not open a file that is open through such a
/// library.
public struct FileBeginning: Sendable {
    private let location: StoreLocation
    private let prefix: OpenFileRegistry.Prefix

    /// Reads the first bytes of the file at the location.
    ///
    /// - Throws: `.notFound`; `.unsupported` if the location is not a file; `.fileFailure`.
    public init(of location: StoreLocation) throws(StoreError) {
        try self.init(of: location, byteCount: FileKind.prefixByteCount)
    }

    /// Reads the first `byteCount` bytes of the file, or all of them if the file is shorter.
    ///
    /// - Throws: the errors of ``init(of:)``.
    package init(of location: StoreLocation, byteCount: Int) throws(StoreError) {
        guard let url = location.fileURL else {
            throw .unsupported(
                location, feature: "no file", advice: "Pass the URL of a file for this engine.")
        }
        self.location = location
        do {
            prefix = try OpenFileRegistry.shared.readPrefix(
                of: DurableFile(url).path, byteCount: byteCount)
        } catch {
            throw error.code == ENOENT || error.code == ENOTDIR
                ? .notFound(location) : .fileFailure(error)
        }
    }

    /// The first bytes, or `nil` if the location is not a regular file or the file must not be
    /// opened.
    package var bytes: [UInt8]? {
        if case .bytes(let bytes) = prefix { bytes } else { nil }
    }

    /// Returns whether the file begins with the given bytes, at most 1024.
    public func begins(with mark: [UInt8]) -> Bool { bytes?.starts(with: mark) ?? false }

    /// Checks that the file begins with the given bytes, at most 1024.
    ///
    /// - Throws: `.notAStore`, which says what the file looks like.
    public func require(_ mark: [UInt8], of type: StoreType) throws(StoreError) {
        try require(of: type) { $0.starts(with: mark) }
    }

    /// Checks the first bytes and returns them.
    ///
    /// - Parameters:
    ///   - type: the type of the engine, for the error.
    ///   - isOwn: returns whether the bytes are those of the engine's files.
    /// - Throws: `.notAStore`, which says what the file looks like.
    @discardableResult
    package func require(
        of type: StoreType, _ isOwn: ([UInt8]) -> Bool
    ) throws(StoreError) -> [UInt8] {
        if let bytes, isOwn(bytes) { return bytes }
        throw .notAStore(location, expected: type, found: "\(FileKind(prefix))")
    }
}

extension EngineFailure {
    /// Creates the failure of a file operation after which an engine does not know whether a commit
    /// took place, for `.commitOutcomeUnknown`.
    package init(_ failure: FileFailure, of type: StoreType, at location: StoreLocation) {
        self.init(
            type: type, location: location, operation: failure.operation,
            code: Int(failure.code), message: failure.message)
    }
}

extension StoreError {
    /// Returns the error for a file beside a store that an engine could not open for writing.
    ///
    /// Returns `.readOnly` if this process may not write the store's file, its folder or its file
    /// system. Otherwise returns `.fileFailure`, which names the file: for example, it belongs to
    /// another user, although this process may write the store.
    package static func writing(_ failure: FileFailure, at location: StoreLocation) -> StoreError {
        guard failure.meansReadOnly else { return .fileFailure(failure) }
        var status = stat()
        let isAlone = lstat(failure.path, &status) == 0 && failure.code != EROFS
        guard isAlone, let store = location.fileURL?.path, access(store, W_OK) == 0 else {
            return .readOnly(location)
        }
        return .fileFailure(failure)
    }
}
