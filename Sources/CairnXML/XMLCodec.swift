import CairnAtomicStore
import CairnEngineKit
import CairnModel
import CairnSAX
import CairnStore

/// Reads and writes a whole store in Core Data's XML form.
struct XMLCodec: AtomicCodec {
    /// Returns `true` for any XML, because only parsing reveals the kind of document.
    func begins(_ bytes: [UInt8]) -> Bool { FileKind.isXML(bytes) }

    func recognizes(_ beginning: [UInt8]) -> Bool { StoreDocument.begins(beginning) }

    /// Searches for the end of the head in the first bytes, and then in more of them each time, because the
    /// length of the model is not known in advance.
    func headByteCount(
        _ beginning: [UInt8], at location: StoreLocation
    ) throws(StoreError) -> Int? {
        StoreDocument.headByteCount(beginning) ?? beginning.count * 16
    }

    func head(_ main: [UInt8], at location: StoreLocation) throws(StoreError) -> StoreDocument {
        try StoreDocument(main, at: location)
    }

    /// Returns `false` if the metadata contains no hashes, or if the model is a derived one. Then the names
    /// in the file determine whether the model fits.
    func comparesHashes(of head: StoreDocument, with model: ManagedObjectModel) -> Bool {
        !head.metadata.entityVersionHashes.isEmpty && !ModelDerivation.made(model)
    }

    func derivedModel(
        _ main: [UInt8], at location: StoreLocation
    ) throws(StoreError) -> ModelDescription? {
        let metadata = try StoreDocument(main, at: location).metadata
        var shape = DocumentShape()
        do {
            try SAXParser.parse(main, into: &shape)
        } catch {
            throw .unsupported(
                location,
                feature: "no model, and its objects cannot be examined because at line"
                    + " \(error.line) \(error.detail)",
                advice: "Pass the model that it was written with.")
        }
        return try ModelDerivation(
            shape: shape, entityNames: Set(metadata.entityVersionHashes.keys), location: location
        ).model()
    }

    // MARK: Reading

    func decode(
        _ files: StoreFiles, _ document: StoreDocument, into store: inout StoreBuilder
    ) throws(StoreError) {
        if let key = document.malformedKey {
            throw .corrupt(
                store.location, location: "the metadata “\(key)”",
                detail: "an entry is missing or of another type")
        }
        let identifiers = try identifiers(document, store)
        if identifiers.roots == nil { store.shareKeys() }
        try store.setNextKeys(
            document.nextKeys, from: "the metadata “\(StoreDocument.Key.nextKeys)”")
        var reader = DocumentReader(document, identifiers: identifiers, of: store)
        try reader.read(into: &store)
    }

    private func identifiers(
        _ document: StoreDocument, _ store: StoreBuilder
    ) throws(StoreError) -> ObjectIdentifiers {
        guard let names = document.rootEntities else { return ObjectIdentifiers(roots: nil) }
        var roots: [EntityNumber] = []
        for name in names {
            // Another program's model may have more entities, of which this store has no objects. They
            // count in the identifiers.
            let number = store.layouts.model.entity(named: name)?.number ?? EntityNumber(0)
            guard number.rawValue == 0 || !roots.contains(number) else {
                throw .corrupt(
                    store.location, location: "the metadata “\(StoreDocument.Key.rootEntities)”",
                    detail: "it names an entity twice")
            }
            roots.append(number)
        }
        return ObjectIdentifiers(roots: roots)
    }

    // MARK: Writing

    func encode(_ content: StoreContent) throws(StoreError) -> StoreFiles {
        let identifiers = identifiers(for: content)
        var head = HeadWriter(content, identifiers: identifiers)
        let names = NameTable(content.layouts.model)
        return StoreFiles(
            try DocumentWriter(content, names: names, identifiers: identifiers)
                .write(after: try head.write()))
    }

    /// Returns the kind of identifiers for a file. Identifiers are keys if they were keys in the existing
    /// file, or if a key is too large to be combined with an index, provided that all keys of the store are
    /// different. Otherwise, they are combinations.
    private func identifiers(for content: StoreContent) -> ObjectIdentifiers {
        let table = content.table
        let combined = ObjectIdentifiers(roots: table.schema.rootEntities)
        let fits = table.schema.rootEntities.allSatisfy { root in
            combined.identifier(root: root, key: max(table.highestKey(root: root), 1)) != nil
        }
        let hasKeys = (content.sharesKeys || !fits) && hasDistinctKeys(table)
        return hasKeys ? ObjectIdentifiers(roots: nil) : combined
    }

    /// Returns whether all objects of the store have different keys, which Core Data requires of identifiers.
    private func hasDistinctKeys(_ table: StoreTable) -> Bool {
        var keys: Set<Int64> = []
        for root in table.schema.rootEntities {
            let rows = table.rows(root: root)
            var position = rows.start
            while let (key, _) = rows.next(&position) {
                if !keys.insert(key).inserted { return false }
            }
        }
        return true
    }
}
