import CairnEngineKit
import CairnModel
import CairnModelArchive
import CairnRows
import CairnStore

/// The part of a save's file that follows the head: the saver's model, so that every process can
/// open the stores, and in a journal each participant's request.
struct SaveFileBody {
    /// The fingerprint of the saver's row layouts. If it differs, a model numbers entities or lays
    /// out rows differently.
    var fingerprint: UInt64
    /// The model in the form that stores contain.
    var model: [UInt8]
    /// The version hash of each entity. It is stored because the hashes of entities with derived
    /// attributes cannot be computed from a model.
    var hashes: [String: VersionHash]
    /// The requests, in the order of the participants. Empty in a pointer file.
    var requests: [[UInt8]]

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.append(fingerprint)
        writer.append(block: model)
        writer.append(
            block: MetadataValue.dictionary(hashes.mapValues { .data($0.data) }).bytes)
        for request in requests { writer.append(block: request) }
        return writer.bytes
    }

    init(
        fingerprint: UInt64, model: [UInt8], hashes: [String: VersionHash], requests: [[UInt8]]
    ) {
        self.fingerprint = fingerprint
        self.model = model
        self.hashes = hashes
        self.requests = requests
    }

    /// Creates a body with the layouts' model and without requests.
    init(_ layouts: RowLayouts) {
        self.init(
            fingerprint: layouts.fingerprint, model: ModelCache.encode(layouts.model),
            hashes: Dictionary(
                layouts.model.entities.map { ($0.name, $0.versionHash) },
                uniquingKeysWith: { first, _ in first }),
            requests: [])
    }

    /// Returns `nil` if the bytes are not a body with this number of requests.
    init?(_ bytes: UnsafeRawBufferPointer, requestCount: Int) {
        var reader = ByteReader(bytes)
        guard let fingerprint = reader.integer(UInt64.self),
            let model = reader.block(behind: UInt64.self),
            let stored = reader.block(behind: UInt64.self),
            case .dictionary(let hashes)? = MetadataValue(bytes: stored)
        else { return nil }
        var requests: [[UInt8]] = []
        for _ in 0..<requestCount {
            guard let request = reader.block(behind: UInt64.self) else { return nil }
            requests.append(Array(request))
        }
        guard reader.rest == 0 else { return nil }
        self.init(
            fingerprint: fingerprint, model: Array(model),
            hashes: hashes.compactMapValues {
                if case .data(let data) = $0 { VersionHash(data) } else { nil }
            }, requests: requests)
    }

    /// The row layouts of the saver's model. `nil` if the model cannot be read, or lays out rows
    /// differently here.
    var layouts: RowLayouts? {
        guard let description = try? ModelCache.decode(model),
            let model = try? ManagedObjectModel(description, recordedHashes: hashes)
        else { return nil }
        let layouts = RowLayouts(model)
        return layouts.fingerprint == fingerprint ? layouts : nil
    }
}
