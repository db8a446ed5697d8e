import CairnFiles
import CairnStore
import Foundation

/// The keys that saves took and did not commit: a small file beside the store's.
///
/// A committed save writes the next keys into the store's file. A save that is rolled back writes
/// them here, instead of writing the whole store again. The next commit removes the file. Therefore
/// no key is given twice, by any process. The file is read, written and removed under the store's
/// ``StoreLock``.
struct KeyRecord: Sendable {
    private enum Name {
        static let identifier = "identifier"
        static let nextKeys = "next keys"
    }

    private let file: DurableFile
    private let store: DurableFile
    private let location: StoreLocation

    init(of store: DurableFile, at location: StoreLocation) {
        file = DurableFile(URL(fileURLWithPath: Self.path(of: store.path)))
        self.store = store
        self.location = location
    }

    static func path(of store: String) -> String { store + "-keys" }

    /// Returns the first key that was never given, by name of the root entity. Returns no keys if
    /// there is no record, or a record of another store.
    ///
    /// - Throws: `.corrupt`, `.fileFailure`.
    func read(of identifier: String) throws(StoreError) -> [String: Int64] {
        let bytes: [UInt8]
        do throws(FileFailure) {
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
                detail: "its bytes are not what was written; remove it, and keys that a save took "
                    + "and did not commit may be given again")
        }
        guard owner == identifier else { return [:] }
        return keys.compactMapValues { if case .integer(let key) = $0 { key } else { nil } }
    }

    /// Writes the next keys, durably.
    ///
    /// - Throws: if the record cannot be written. The old record stays.
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

    /// Removes the record after its keys were written into the store's file. If that fails, or is
    /// undone by a power cut, the record says nothing that the file does not say.
    func remove() { unlink(file.path) }

    /// Whether processes have died while they wrote the record, or are writing it now.
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
    /// Returns the files beside a store's file: its lock while a process saves, and the keys that
    /// saves took and did not commit.
    package static func companions(of location: StoreLocation) -> [StoreFile] {
        guard let url = location.fileURL else { return [] }
        let path = DurableFile(url).path
        return [
            StoreFile(URL(fileURLWithPath: KeyRecord.path(of: path)), .data),
            StoreFile(URL(fileURLWithPath: StoreLock.path(of: path)), .scratch),
        ]
    }
}
