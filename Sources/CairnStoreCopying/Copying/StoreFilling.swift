import CairnModel
import CairnStore

/// Fills an empty store with everything that one state of another one holds.
///
/// Rows first, by root entity and key; then pairs and orders, whose ends are all there by then. Each
/// batch is a save of its own, but in a store that writes its whole file with each save: there all
/// are one.
struct StoreFilling {
    private let copy: any PersistentStore
    private let source: any PersistentStore
    private let snapshot: any StoreSnapshot
    private let entities: [Entity]
    private let contents: CopiedContents
    private let location: StoreLocation
    /// What an atomic store is to save; it holds as much in memory anyway.
    private var gathered = SaveRequest()
    private var progress = StoreCopyProgress(totalObjectCount: 0)

    /// - Parameters:
    ///   - source: whose state it is, the newest.
    ///   - location: where the copy will be, for errors.
    ///   - allowsMissingExternalData: whether values whose files are missing become nil.
    /// - Throws: `.store`, `.model`.
    init(
        of copy: any PersistentStore, from source: any PersistentStore,
        for location: StoreLocation, allowsMissingExternalData: Bool = false
    ) throws(StoreCopyError) {
        self.copy = copy
        self.source = source
        self.location = location
        let request = source.request
        entities = try StoreCopyError.translating { () throws(ModelError) in
            try request.model.entities(forConfiguration: request.configuration)
        }
        snapshot = try StoreCopyError.translating { () throws(StoreError) in try source.snapshot() }
        contents = CopiedContents(
            snapshot: snapshot, layouts: request.layouts, store: copy.number,
            allowsMissingExternalData: allowsMissingExternalData)
    }

    /// Copies all of it, once; `report` is told after each save. Ends the state that is copied.
    ///
    /// - Throws: `.cancelled`; `.store`.
    mutating func run(
        _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) -> StoreCopyProgress {
        defer { snapshot.end() }
        progress.totalObjectCount = try countObjects()
        try goOn(report)
        for root in roots { try copyRows(of: root, report) }
        for relationship in entities.flatMap(\.toldRelationships) {
            try copyPairs(of: relationship, report)
        }
        if !gathered.isEmpty {
            try StoreCopyError.translating { () throws(StoreError) in try save(gathered) }
        }
        try copyMetadata()
        return progress
    }

    /// The entities above which the store holds none.
    private var roots: [Entity] {
        let numbers = Set(entities.map(\.number))
        return entities.filter { entity in
            !sequence(first: entity, next: \.superentity).dropFirst().contains {
                numbers.contains($0.number)
            }
        }
    }

    private func countObjects() throws(StoreCopyError) -> Int {
        try StoreCopyError.translating { () throws(StoreError) in
            var total = 0
            for root in roots { total += try snapshot.count(FetchPlan(entity: root)) ?? 0 }
            return total
        }
    }

    // MARK: Rows

    private mutating func copyRows(
        of root: Entity, _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) {
        let cursor = try StoreCopyError.translating { () throws(StoreError) in
            try snapshot.cursor(FetchPlan(entity: root))
        }
        var size = BatchSize()
        while let rows = try StoreCopyError.translating({ () throws(StoreError) in
            try cursor.next(atMost: size.rowCount)
        }) {
            size.note(rows)
            var next = 0
            while next < rows.count {
                let request = try StoreCopyError.translating { () throws(StoreError) in
                    try contents.request(for: rows, from: &next, noting: &progress.missingValues)
                }
                progress.objectCount += request.inserted.count
                try save(request, report)
            }
        }
    }

    // MARK: Pairs

    private mutating func copyPairs(
        of relationship: Relationship, _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) {
        try copyPairs(along: relationship, report) {
            [contents] owners throws(StoreError) in
            try contents.pairs(of: relationship, owners: owners)
        }
        guard relationship.isManyToMany, let inverse = relationship.inverse, inverse.isOrdered,
            inverse != relationship
        else { return }
        try copyPairs(along: inverse, report) {
            [contents] members throws(StoreError) in
            try contents.places(inverse, of: members)
        }
    }

    /// Saves what `changes` finds for all objects of the entity that has the relationship.
    private mutating func copyPairs(
        along relationship: Relationship, _ report: (StoreCopyProgress) -> StoreCopyDecision,
        _ changes: ([ObjectID]) throws(StoreError) -> [PairChange]
    ) throws(StoreCopyError) {
        let cursor = try StoreCopyError.translating { () throws(StoreError) in
            try snapshot.cursor(FetchPlan(entity: relationship.entity, output: .ids))
        }
        while let batch = try StoreCopyError.translating({ () throws(StoreError) in
            try cursor.next(atMost: BatchSize.ownerCount)
        }) {
            let pairs = try StoreCopyError.translating { () throws(StoreError) in
                try changes(batch.ids)
            }
            for start in stride(from: 0, to: pairs.count, by: BatchSize.pairCount) {
                let share = Array(pairs[start..<min(start + BatchSize.pairCount, pairs.count)])
                progress.pairCount += share.count
                try save(SaveRequest(pairs: share), report)
            }
        }
    }

    // MARK: Metadata

    /// Sets the application's values: not those that describe the source's file, nor those that the
    /// copy has answers of its own to.
    private func copyMetadata() throws(StoreCopyError) {
        try StoreCopyError.translating { () throws(StoreError) in
            let own = try copy.metadata().values
            let values = try source.metadata().values.filter { name, _ in
                own[name] == nil && !name.hasPrefix("NS") && !name.hasPrefix("_NS")
            }
            if !values.isEmpty { try save(SaveRequest(metadata: values)) }
        }
    }

    // MARK: Saving

    private mutating func save(
        _ request: SaveRequest, _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) {
        if type(of: copy).capabilities.rewritesWholeFile {
            gathered.inserted.append(request.inserted)
            gathered.pairs += request.pairs
        } else {
            try StoreCopyError.translating { () throws(StoreError) in try save(request) }
        }
        // A source that cannot count, or counted wrongly, is no reason to show more than all.
        progress.totalObjectCount = max(progress.totalObjectCount, progress.objectCount)
        try goOn(report)
    }

    private func save(_ request: SaveRequest) throws(StoreError) {
        let transaction = try copy.beginSave()
        defer { transaction.rollback() }
        try transaction.prepare(request)
        _ = try transaction.commit()
    }

    private func goOn(
        _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) {
        if report(progress) == .cancel { throw .cancelled(location) }
    }
}

extension Entity {
    /// The entity's own to-manys that a save is told of from this side.
    fileprivate var toldRelationships: [Relationship] {
        ownProperties.compactMap { property in
            guard case .relationship(let relationship) = property, relationship.isToMany,
                !relationship.isTransient,
                relationship.isManyToMany ? relationship.ownsPairs : relationship.isOrdered
            else { return nil }
            return relationship
        }
    }
}
