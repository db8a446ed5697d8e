import CairnEngineKit
import CairnFiles
import CairnRows
import CairnStore
import Foundation

/// The keys that saves reserved without committing, in a small file beside the store's file.
///
/// A committed save writes the next keys to the store's file. A save that is rolled back writes
/// them to this file instead, which is cheaper than writing the whole store again. The next commit
/// removes this file. Therefore no process gives a key twice. The file is read, written and removed
/// while the store's ``StoreLock`` is held.
struct KeyRecord: Sendable {
    private enum Name {
        static let identifier = "identifier"
        static let nextKeys = "next keys"
    }

    private let file: DurableFile
    private let store: DurableFile
    private let location: StoreLocation

    init(of store: DurableFile, at location: StoreLocation) {
        file = DurableFile(companion: Self.path(of: store.path))
        self.store = store
        self.location = location
    }

    static func path(of store: String) -> String { store + "-keys" }

    /// Returns the lowest key that has never been assigned, by the name of the root entity. Returns an empty
    /// dictionary if there is no record, or if the record belongs to another store.
    func read(of identifier: String) throws(StoreError) -> [String: Int64] {
        let bytes: [UInt8]
        do {
            bytes = try file.hold().readAll()
        } catch {
            if error.code == ENOENT { return [:] }
            throw .fileFailure(error)
        }
        guard let entries = Self.decode(bytes), case .string(let owner)? = entries[Name.identifier],
            case .dictionary(let keys)? = entries[Name.nextKeys]
        else {
            throw .corrupt(
                location, location: file.path,
                detail:
                    "its content is not valid. If you remove this file, keys that a save took but did"
                    + " not commit may be used again")
        }
        guard owner == identifier else { return [:] }
        return keys.compactMapValues { if case .integer(let key) = $0 { key } else { nil } }
    }

    /// Writes the next keys durably.
    ///
    /// - Throws: a failure if the record cannot be written. The old record is kept.
    func write(
        _ nextKeys: [String: Int64], of identifier: String
    ) throws(FileFailure) {
        let content = MetadataCodec.encode(
            .dictionary([
                Name.identifier: .string(identifier),
                Name.nextKeys: .dictionary(nextKeys.mapValues(MetadataValue.integer)),
            ]))
        let seal = content.withUnsafeBytes(Checksum.of).littleEndian
        let sealed = withUnsafeBytes(of: seal) { Array($0) } + content
        try file.prepare(sealed, modeOf: store.path).replace()
        try file.synchronizeFolder()
    }

    /// Removes the record after its keys were written to the store's file. If that fails or is
    /// undone by a power failure, the record contains nothing that the file does not contain.
    func remove() { unlink(file.path) }

    /// Whether there are temporary files of processes that died while they wrote the record, or are
    /// writing it now.
    var hasLeftovers: Bool { file.hasLeftovers }

    /// Removes the temporary files of processes that died while they wrote the record.
    func removeLeftovers() { file.settleLeftovers() }

    private static func decode(_ bytes: [UInt8]) -> [String: MetadataValue]? {
        bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            guard let seal = reader.integer(UInt64.self), let content = reader.take(reader.rest),
                seal == Checksum.of(content),
                case .dictionary(let entries)? = MetadataCodec.decode(content)
            else { return nil }
            return entries
        }
    }
}

extension AtomicFile {
    /// Returns the files beside a store's file: the lock file, which exists while a process saves,
    /// the file with keys that saves reserved without committing, and the log of the history.
    package static func companions(of location: StoreLocation) -> [StoreFile] {
        guard let url = location.fileURL else { return [] }
        let path = DurableFile(url).path
        return [
            StoreFile(URL(fileURLWithPath: KeyRecord.path(of: path)), .data),
            StoreFile(URL(fileURLWithPath: HistoryFile.path(of: path)), .data),
            StoreFile(URL(fileURLWithPath: StoreLock.path(of: path)), .scratch),
        ]
    }
}
