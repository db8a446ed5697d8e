import CairnEngineKit
import CairnModel
import CairnModelArchive
import CairnRows
import CairnStore
import Synchronization

/// The saver's model, which every file of a save contains, so that every process can open the stores. It is
/// encoded once for all saves.
package final class JournalModel: Sendable {
    package let layouts: RowLayouts
    private let encoded = Mutex<[UInt8]?>(nil)

    /// - Parameter layouts: the layouts that the rows of the saves are packed with.
    package init(_ layouts: RowLayouts) { self.layouts = layouts }

    /// The fingerprint of the layouts, the model in the form that stores contain, and the version hash of each
    /// entity. The hashes are stored because those of entities with derived attributes cannot be computed from
    /// a model.
    var bytes: [UInt8] {
        encoded.withLock { encoded in
            if let encoded { return encoded }
            let hashes = Dictionary(
                layouts.model.entities.map { ($0.name, MetadataValue.data($0.versionHash.data)) },
                uniquingKeysWith: { first, _ in first })
            var new: [UInt8] = []
            new.append(number: layouts.fingerprint)
            new.append(block: ModelCache.encode(layouts.model))
            new.append(block: MetadataValue.dictionary(hashes).bytes)
            encoded = new
            return new
        }
    }

    /// Decodes the layouts. Returns `nil` if the model cannot be read, or lays out rows differently here.
    static func layouts(from bytes: [UInt8]) -> RowLayouts? {
        bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            guard let (fingerprint, encoded, stored) = read(&reader),
                let description = try? ModelCache.decode(Array(encoded))
            else { return nil }
            let hashes = stored.compactMapValues {
                if case .data(let data) = $0 { VersionHash(data) } else { nil }
            }
            guard let model = try? ManagedObjectModel(description, recordedHashes: hashes)
            else { return nil }
            let layouts = RowLayouts(model)
            return layouts.fingerprint == fingerprint ? layouts : nil
        }
    }

    /// Reads the parts of an encoded model. Returns `nil` if the next bytes are not one.
    static func read(
        _ reader: inout ByteReader
    ) -> (fingerprint: UInt64, model: UnsafeRawBufferPointer, hashes: [String: MetadataValue])? {
        guard let fingerprint = reader.integer(UInt64.self),
            let model = reader.block(behind: UInt64.self),
            let stored = reader.block(behind: UInt64.self),
            case .dictionary(let hashes)? = MetadataValue(bytes: stored)
        else { return nil }
        return (fingerprint, model, hashes)
    }
}
