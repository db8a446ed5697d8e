import CairnAtomicStore
import CairnModel
import CairnStore
import Foundation

/// The files of a folder store: `store.json` describes the store, and `Album-7.json` contains album 7.
struct FolderCodec: AtomicCodec {
    let mainFile: String? = "store.json"

    func begins(_ bytes: [UInt8]) -> Bool {
        String(decoding: bytes, as: UTF8.self).contains("\"\(FolderIndex.mark)\"")
    }

    func head(_ main: [UInt8], at location: StoreLocation) throws(StoreError) -> FolderIndex {
        do { return try JSONDecoder().decode(FolderIndex.self, from: Data(main)) } catch {
            throw .corrupt(location, location: "store.json", detail: "an entry is missing or wrong")
        }
    }

    func decode(
        _ files: StoreFiles, _ index: FolderIndex, into store: inout StoreBuilder
    ) throws(StoreError) {
        guard files.others.count == index.objectCount else {
            let detail = "it tells of \(index.objectCount) objects, not of \(files.others.count)"
            throw .corrupt(store.location, location: "store.json", detail: detail)
        }
        for (name, bytes) in files.others.sorted(by: { $0.key < $1.key }) {
            var writer = RowWriter(store: store.number)
            let object = try? JSONDecoder().decode(ObjectFile.self, from: Data(bytes))
            guard object?.name == name, object?.write(to: &writer, store) == true else {
                throw .corrupt(
                    store.location, location: name, detail: "it is no object of the model")
            }
            try store.add(writer.takeBatch(), from: name)
        }
        for (number, pair) in index.pairs.enumerated() {
            let position = "store.json, pair \(number + 1)"
            guard let change = pair.change(store) else {
                throw .corrupt(
                    store.location, location: position, detail: "it is of no relationship")
            }
            try store.add(change, from: position)
        }
        try store.setNextKeys(index.nextKeys, from: "store.json")
        try store.setGeneration(index.generation, from: "store.json")
    }

    func encode(_ content: StoreContent) throws(StoreError) -> StoreFiles {
        var objects: [String: [UInt8]] = [:]
        for row in content.rows {
            guard let layout = content.layouts.layout(of: row.entity) else { continue }
            let object = try ObjectFile(row, layout)
            objects[object.name] = try json(object)
        }
        return StoreFiles(main: try json(FolderIndex(content)), others: objects)
    }

    private func json(_ value: some Encodable) throws(StoreError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        if let data = try? encoder.encode(value) { return Array(data) }
        throw .unsupportedValue(
            entity: "the store", attribute: "its metadata", reason: "JSON cannot hold it")
    }
}

/// The content of `store.json`: the parts of a store that are not in the files of objects.
struct FolderIndex: AtomicHead, Codable {
    static let mark = "Cairn folder store 1"
    var format = mark
    var identifier: String, generation: UInt64, objectCount: Int
    var hashes: [String: Data], modelVersions: [String]
    var values: [String: MetadataValue], nextKeys: [String: Int64]
    var pairs: [PairEntry]
    /// The model. Absent in stores of earlier versions.
    var modelArchive: Data?

    init(_ content: StoreContent) {
        identifier = content.metadata.identifier
        hashes = content.metadata.entityVersionHashes.mapValues(\.data)
        modelVersions = content.metadata.modelVersionIdentifiers
        values = content.metadata.values
        (generation, objectCount) = (content.generation, content.rows.count)
        nextKeys = content.nextKeysByName
        pairs = content.pairs.map { PairEntry($0, content.layouts.model) }
        modelArchive = content.modelArchive
    }

    var metadata: StoreMetadata {
        StoreMetadata(
            identifier: identifier, type: FolderStore.type,
            entityVersionHashes: hashes.mapValues { VersionHash($0) },
            modelVersionIdentifiers: modelVersions, values: values)
    }
}

/// A pair of a many-to-many relationship, or an order key in an ordered one-to-many relationship.
struct PairEntry: Codable {
    var entity: String, relationship: String, owner: String, member: String
    var memberOrder: Int64?, ownerOrder: Int64?

    init(_ pair: PairChange, _ model: ManagedObjectModel) {
        (entity, relationship) = (pair.relationship.entity.name, pair.relationship.name)
        (owner, member) = (pair.owner.text(in: model), pair.member.text(in: model))
        (memberOrder, ownerOrder) = (pair.orderKey, pair.inverseOrderKey)
    }

    /// Returns the pair with the model's numbers, or `nil` if the model has no such relationship or entity.
    func change(_ store: StoreBuilder) -> PairChange? {
        let entity = store.layouts.model.entity(named: entity)
        guard let relationship = entity?.relationship(named: relationship),
            let owner = ObjectID(owner, store), let member = ObjectID(member, store)
        else { return nil }
        return PairChange(
            .insert, relationship, owner: owner, member: member, orderKey: memberOrder,
            inverseOrderKey: ownerOrder)
    }
}
