import CairnFiles
import CairnModel
import CairnRows
import CairnStore
import Foundation

/// The file of a store that is a log of ``ChangeRecord``s: each save appends one.
///
///     0       the mark of the engine, at most 1024 bytes
///     m       a frame: u64, the end of the last record that is known to be durable
///     m + 24  a frame for each record
///
/// The records before the end in the head must be complete, or the file is damaged. After that end
/// there may be a record whose writing was interrupted. It counts if it is complete.
///
/// Several processes may have the file open, and read it while one of them appends to it. Beside the
/// file is a lock file, which one saver at a time holds.
public final class RecordFile: Sendable {
    package static let frameByteCount = 16

    private let file: GrowingFile
    private let location: StoreLocation
    private let type: StoreType
    private let mark: [UInt8]
    private var headByteCount: Int { Self.headByteCount(mark) }

    /// Opens the file of a store.
    ///
    /// - Parameters:
    ///   - location: the location of the store.
    ///   - mark: the first bytes of the engine's files.
    ///   - type: names the engine in errors.
    ///   - isReadOnly: whether nothing is appended.
    /// - Throws: `.notFound`; `.notAStore` for a file that does not begin with the mark;
    ///   `.readOnly`; `.unsupported` if the location is not a file; `.fileFailure`.
    public init(
        at location: StoreLocation, beginningWith mark: [UInt8], of type: StoreType,
        isReadOnly: Bool
    ) throws(StoreError) {
        try FileBeginning(of: location).require(mark, of: type)
        guard let url = location.fileURL else { throw .notFound(location) }
        (self.location, self.mark, self.type) = (location, mark, type)
        do {
            file = try GrowingFile(url, isReadOnly: isReadOnly)
        } catch {
            switch error.code {
            case ENOENT, ENOTDIR: throw .notFound(location)
            case EACCES, EROFS: throw isReadOnly ? .fileFailure(error) : .readOnly(location)
            default: throw .fileFailure(error)
            }
        }
    }

    /// Creates the file of a store with one record, unless another process creates it first. After a
    /// crash, the file is complete or does not exist.
    ///
    /// - Throws: `.fileFailure`. Nothing has changed then.
    public static func create(
        at location: StoreLocation, beginningWith mark: [UInt8], _ record: ChangeRecord
    ) throws(StoreError) {
        guard let url = location.fileURL else { return }
        let record = Self.frame(record.bytes)
        let head = head(ofRecordsUpTo: headByteCount(mark) + record.count)
        _ = try StoreError.onFiles(try GrowingFile.create(url, mark + head + record))
    }

    /// Returns whether the location is a file that begins with the mark.
    public static func exists(at location: StoreLocation, beginningWith mark: [UInt8]) -> Bool {
        (try? FileBeginning(of: location))?.begins(with: mark) ?? false
    }

    // MARK: Reading

    /// Returns the records from an offset on, and the offset at which the last of them ends.
    ///
    /// - Parameter offset: the offset of a record. If 0, checks the head and begins with the first
    ///   record.
    /// - Throws: `.corrupt` if a durable record is damaged or missing; `.fileFailure`.
    public func records(
        from offset: Int = 0
    ) throws(StoreError) -> (records: [ChangeRecord], end: Int) {
        let start = max(offset, headByteCount)
        let durableEnd = offset == 0 ? try durableEnd() : offset
        let bytes = try StoreError.onFiles(try file.read(from: start))
        let (contents, byteCount) = Self.contents(of: bytes)
        let records = contents.compactMap { ChangeRecord(bytes: $0) }
        if let durableEnd, start + byteCount >= durableEnd, records.count == contents.count {
            return (records, start + byteCount)
        }
        throw .corrupt(
            location, location: "the log from byte \(offset) on",
            detail: "a record is damaged or missing")
    }

    /// Writes the records before an offset to a new file, durably. Later records are not in it.
    ///
    /// - Parameters:
    ///   - end: the offset at which the last of the records ends.
    ///   - location: the location of the new file.
    /// - Throws: `.fileFailure`, including if a file exists at the location, which is not changed.
    public func copy(recordsUpTo end: Int, to location: StoreLocation) throws(StoreError) {
        guard let url = location.fileURL else { return }
        let records = try StoreError.onFiles(try file.read(from: headByteCount, to: end))
        let isNew = try StoreError.onFiles(
            try GrowingFile.create(url, mark + Self.head(ofRecordsUpTo: end) + records))
        if isNew { return }
        throw .fileFailure(FileFailure(operation: "create", path: url.path, code: EEXIST))
    }

    /// Reads the end of the durable records from the head. Returns `nil` if the head is damaged.
    private func durableEnd() throws(StoreError) -> Int? {
        // Another process may be writing the head at this moment. It is then valid at the next attempt.
        for _ in 0..<3 {
            let bytes = try StoreError.onFiles(try file.read(from: mark.count, to: headByteCount))
            if let end = Self.contents(of: bytes).contents.first {
                return end.reversed().reduce(0) { $0 << 8 | Int($1) }
            }
        }
        return nil
    }

    // MARK: Saving

    /// Takes the lock that savers share. Waits while another process or another thread holds it. The
    /// lock is released with the returned object.
    ///
    /// - Throws: `.busy` after the timeout; `.deadlineExceeded`, `.cancelled`, `.readOnly`;
    ///   `.fileRemoved` and `.fileReplaced` if the store's path leads to no file or another one;
    ///   `.fileFailure`.
    public func lockForSaving(timeout: Duration) throws(StoreError) -> FileLock {
        let lock = try FileLock.wait(
            at: Self.lockPath(of: file.path), timeout: timeout, for: location)
        try file.opened.requireName(of: location)
        return lock
    }

    /// Removes anything that a killed process left after the last record.
    ///
    /// - Precondition: the caller holds the lock for saving.
    /// - Throws: `.fileFailure`.
    public func cutOff(at end: Int) throws(StoreError) {
        if try StoreError.onFiles(try file.byteCount()) > end {
            try StoreError.onFiles(try file.truncate(to: end))
        }
    }

    /// Appends a record durably. Returns the offset at which it ends.
    ///
    /// - Precondition: the caller holds the lock for saving.
    /// - Parameters:
    ///   - record: what the file gains.
    ///   - end: the offset at which the last record ends.
    /// - Throws: `.fileRemoved`, `.fileReplaced` or `.fileFailure` if nothing was appended.
    ///   `.commitOutcomeUnknown` if the record may be lost, because the system does not report
    ///   whether it is on the medium, or because the file lost its name in the meantime.
    public func append(_ record: ChangeRecord, at end: Int) throws(StoreError) -> Int {
        try file.opened.requireName(of: location)
        let record = Self.frame(record.bytes)
        do {
            try file.write(record, at: end)
        } catch {
            try? file.truncate(to: end)
            throw .fileFailure(error)
        }
        try makeDurable(upTo: end + record.count)
        do {
            try file.opened.requireName(of: location)
        } catch {
            throw .commitOutcomeUnknown(
                EngineFailure(
                    type: type, location: location, operation: "commit", code: 0,
                    message: "\(error)"))
        }
        return end + record.count
    }

    /// Waits until the records are on the medium, and notes where they end.
    ///
    /// - Throws: `.commitOutcomeUnknown` if the system does not report whether they are there.
    public func makeDurable(upTo end: Int) throws(StoreError) {
        do {
            try file.synchronize()
        } catch {
            throw .commitOutcomeUnknown(EngineFailure(error, of: type, at: location))
        }
        // The records count even without the head, which the next save makes durable.
        try? file.write(Self.head(ofRecordsUpTo: end), at: mark.count)
    }

    // MARK: Moving

    /// Takes a shared lock on the file, which shows others that the store is open, and which is
    /// released with this object.
    ///
    /// - Throws: `.locked` while the file is being moved or removed.
    public func lockWhileOpen() throws(StoreError) {
        guard file.lock(isShared: true) else {
            throw .locked(location, holder: "a program that is moving or removing it")
        }
    }

    /// Runs a body while nobody has the store open, as described in
    /// `FileStore.withExclusiveUse(of:_:)`.
    ///
    /// - Throws: `.locked` if this process or another has the store open; the error that the body
    ///   throws.
    public func withExclusiveUse<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        guard file.lock(isShared: false) else {
            throw .locked(location, holder: "this process or another")
        }
        if let url = location.fileURL { GrowingFile.removeLeftovers(of: url) }
        defer { withExtendedLifetime(self) {} }
        return try body()
    }

    /// Returns the files beside the file of a store: the lock file for saving.
    public static func companionFiles(of location: StoreLocation) -> [StoreFile] {
        guard let path = location.fileURL?.path else { return [] }
        return [StoreFile(URL(fileURLWithPath: lockPath(of: path)), .scratch)]
    }

    private static func lockPath(of path: String) -> String { path + "-lock" }

    // MARK: Frames

    /// Returns bytes that show whether they are complete: u64 length, u64 checksum, and the content.
    ///
    /// After a crash, the last bytes of a file may have been written only in part. The checksum lets
    /// a reader detect that.
    package static func frame(_ content: [UInt8]) -> [UInt8] {
        bytes(of: UInt64(content.count)) + bytes(of: content.withUnsafeBytes(Checksum.of))
            + content
    }

    /// Returns the contents of the frames at the start of the bytes, up to the first incomplete
    /// frame, and the total length of these frames.
    package static func contents(of bytes: [UInt8]) -> (contents: [[UInt8]], byteCount: Int) {
        bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            var (contents, byteCount) = ([[UInt8]](), 0)
            while let length = reader.integer(UInt64.self),
                let checksum = reader.integer(UInt64.self),
                let content = Int(exactly: length).flatMap({ reader.take($0) }),
                Checksum.of(content) == checksum
            {
                contents.append(Array(content))
                byteCount = reader.offset
            }
            return (contents, byteCount)
        }
    }

    private static func bytes(of number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    private static func headByteCount(_ mark: [UInt8]) -> Int {
        mark.count + frameByteCount + MemoryLayout<UInt64>.size
    }

    /// Returns the variable part of the head.
    private static func head(ofRecordsUpTo end: Int) -> [UInt8] {
        frame(bytes(of: UInt64(end)))
    }
}
