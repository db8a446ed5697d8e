import CairnEngineKit
import CairnFiles
import CairnStore
import Foundation

/// The storage of a ``ReferredStore``'s service: a record for each save, independent of any instance of the
/// engine.
struct ServiceLog: Sendable {
    private let file: GrowingFile
    private let url: URL

    /// Opens the log at an address.
    init(_ location: StoreLocation) throws(StoreError) {
        url = Self.file(at: location)
        do throws(FileFailure) {
            file = try GrowingFile(url, isReadOnly: false)
        } catch {
            throw error.code == ENOENT ? .notFound(location) : .fileFailure(error)
        }
    }

    /// Creates a log with one record, unless another process creates it first.
    static func create(_ location: StoreLocation, _ record: ChangeRecord) throws(StoreError) {
        try naming { () throws(FileFailure) in
            try GrowingFile.create(file(at: location), ChecksummedFrame.frame(record.bytes))
        }
    }

    private static func file(at location: StoreLocation) -> URL {
        let path = location.service?.urlWithPassword.path ?? "/"
        return ServedStore.folder.appending(path: path)
    }

    /// Takes the lock that excludes other saves.
    func lock(timeout: Duration, for location: StoreLocation) throws(StoreError) -> FileLock {
        try FileLock.wait(at: url.path + "-lock", timeout: timeout, for: location)
    }

    /// Returns the complete records starting at an offset, and the offset at which the last record ends.
    func records(from offset: Int) throws(StoreError) -> (records: [ChangeRecord], end: Int) {
        let bytes = try Self.naming { () throws(FileFailure) in try file.read(from: offset) }
        let (contents, byteCount) = ChecksummedFrame.read(bytes)
        return (contents.compactMap { ChangeRecord(bytes: $0) }, offset + byteCount)
    }

    /// Appends a record, and overwrites anything that a killed process left after `end`.
    func append(_ record: [UInt8], at end: Int) throws(StoreError) {
        try Self.naming { () throws(FileFailure) in
            if try file.byteCount() > end { try file.truncate(to: end) }
            try file.write(record, at: end)
            try file.synchronize()
        }
    }

    private static func naming<Result>(
        _ body: () throws(FileFailure) -> Result
    ) throws(StoreError) -> Result {
        do throws(FileFailure) { return try body() } catch { throw .fileFailure(error) }
    }
}
