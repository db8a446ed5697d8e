import CairnModel
import CairnModelArchive
import CairnStore

/// What a file of a save holds after its head: the saver's model, so that anybody can open the stores,
/// and in the journal each participant's request.
struct SaveFileBody {
    /// Tells whether the model numbers entities and lays out rows as the saver's did.
    var fingerprint: UInt64
    /// The model as a store keeps it.
    var model: [UInt8]
    /// The version hash of each entity: those of derived attributes follow from no model.
    var hashes: [String: VersionHash]
    /// In the order of the participants. Empty in a pointer.
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

    /// The model of the layouts, without requests.
    init(_ layouts: RowLayouts) {
        self.init(
            fingerprint: layouts.fingerprint, model: ModelCache.encode(layouts.model),
            hashes: Dictionary(
                layouts.model.entities.map { ($0.name, $0.versionHash) },
                uniquingKeysWith: { first, _ in first }),
            requests: [])
    }

    /// Returns `nil` if the bytes are no body with that many requests.
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

    /// Returns the layouts of the saver's model. Returns `nil` if it cannot be read, or lays out rows in
    /// another way here.
    var layouts: RowLayouts? {
        guard let description = try? ModelCache.decode(model),
            let model = try? ManagedObjectModel(description, recordedHashes: hashes)
        else { return nil }
        let layouts = RowLayouts(model)
        return layouts.fingerprint == fingerprint ? layouts : nil
    }
}
