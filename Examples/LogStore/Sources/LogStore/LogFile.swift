import CairnEngineKit
import CairnFiles
import CairnStore
import Foundation

/// The file of a store: a head, followed by records that are only ever appended.
///
///     0    "CairnLog"
///     8    a frame: u64, the end of the last record that is known to be durable
///     32   a frame for each record
///
/// The records before the end in the head must be complete, or the file is damaged. After that end there may
/// be a record whose writing was interrupted. It counts if it is complete.
struct LogFile: Sendable {
    static let mark = Array("CairnLog".utf8)
    private static let headByteCount = 32

    let file: GrowingFile
    let location: StoreLocation

    /// Opens the log of a store.
    init(_ location: StoreLocation, isReadOnly: Bool) throws(StoreError) {
        try FileBeginning(of: location).require(Self.mark, of: LogStore.type)
        guard let url = location.fileURL else { throw .notFound(location) }
        self.location = location
        do throws(FileFailure) {
            file = try GrowingFile(url, isReadOnly: isReadOnly)
        } catch {
            switch error.code {
            case ENOENT: throw .notFound(location)
            case EACCES, EROFS: throw isReadOnly ? .fileFailure(error) : .readOnly(location)
            default: throw .fileFailure(error)
            }
        }
    }

    /// Creates a log with one record, unless another process creates it first.
    static func create(_ location: StoreLocation, _ record: ChangeRecord) throws(StoreError) {
        guard let url = location.fileURL else { return }
        let record = ChecksummedFrame.frame(record.bytes)
        try naming { () throws(FileFailure) in
            try GrowingFile.create(url, mark + head(headByteCount + record.count) + record)
        }
    }

    /// Returns the path of the lock file for saving.
    static func lockPath(of path: String) -> String { path + "-lock" }

    // MARK: Reading

    /// Returns the records starting at an offset, and the offset at which the last of them ends.
    ///
    /// - Parameter offset: The offset of a record. If 0, checks the head and starts with the first record.
    func records(from offset: Int) throws(StoreError) -> (records: [ChangeRecord], end: Int) {
        let start = max(offset, Self.headByteCount)
        let durableEnd = offset == 0 ? try durableEnd() : offset
        let bytes = try Self.naming { () throws(FileFailure) in try file.read(from: start) }
        let (contents, byteCount) = ChecksummedFrame.read(bytes)
        let records = contents.compactMap { ChangeRecord(bytes: $0) }
        if let durableEnd, start + byteCount >= durableEnd, records.count == contents.count {
            return (records, start + byteCount)
        }
        throw .corrupt(
            location, location: "the log from byte \(offset) on",
            detail: "a record is damaged or missing")
    }

    /// Reads the end of the durable records from the head. Returns `nil` if the head is damaged.
    private func durableEnd() throws(StoreError) -> Int? {
        // Another process may be writing the head at this moment. It is then valid at the next attempt.
        for _ in 0..<3 {
            let bytes = try Self.naming { () throws(FileFailure) in
                try file.read(from: Self.mark.count, to: Self.headByteCount)
            }
            if let end = ChecksummedFrame.read(bytes).contents.first {
                return end.reversed().reduce(0) { $0 << 8 | Int($1) }
            }
        }
        return nil
    }

    // MARK: Saving

    /// Removes anything that a killed process left after the last record.
    func cutOff(at end: Int) throws(StoreError) {
        try Self.naming { () throws(FileFailure) in
            if try file.byteCount() > end { try file.truncate(to: end) }
        }
    }

    /// Appends a framed record durably.
    ///
    /// - Throws: `.fileFailure` if nothing was appended. `.commitOutcomeUnknown` if the system does not
    ///   report whether the record is on the medium.
    func append(_ record: [UInt8], at end: Int) throws(StoreError) {
        do throws(FileFailure) {
            try file.write(record, at: end)
        } catch {
            try? file.truncate(to: end)
            throw .fileFailure(error)
        }
        do throws(FileFailure) {
            try file.synchronize()
        } catch {
            throw .commitOutcomeUnknown(EngineFailure(error, of: LogStore.type, at: location))
        }
        // The record counts even without the head, which the next save makes durable.
        try? file.write(Self.head(end + record.count), at: Self.mark.count)
    }

    /// Returns the variable part of the head.
    private static func head(_ end: Int) -> [UInt8] {
        ChecksummedFrame.frame(withUnsafeBytes(of: UInt64(end).littleEndian) { Array($0) })
    }

    /// Runs file operations, and converts their failures to the errors of the contract.
    private static func naming<Result>(
        _ body: () throws(FileFailure) -> Result
    ) throws(StoreError) -> Result {
        do throws(FileFailure) { return try body() } catch { throw .fileFailure(error) }
    }
}
