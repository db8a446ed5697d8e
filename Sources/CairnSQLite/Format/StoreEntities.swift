import CairnModel

/// The entities that a store holds, with the numbers that the store uses for them (`Z_ENT`).
struct StoreEntities: Sendable {
    /// Core Data numbers its own bookkeeping entities, such as those of persistent history, from
    /// 16001.
    static let firstReservedNumber: Int64 = 16_000

    /// The entities in ascending order of their store numbers.
    let entities: [(entity: Entity, number: Int64)]
    private let numbers: [EntityNumber: Int64]
    private let byNumber: [Int64: EntityNumber]

    private init(_ entities: [(entity: Entity, number: Int64)]) {
        self.entities = entities.sorted { $0.number < $1.number }
        numbers = Dictionary(
            entities.map { ($0.entity.number, $0.number) }, uniquingKeysWith: { first, _ in first })
        byNumber = Dictionary(
            entities.map { ($0.number, $0.entity.number) }, uniquingKeysWith: { first, _ in first })
    }

    /// Numbers the entities of a new store from 1.
    ///
    /// A configuration includes the complete inheritance tree of each of its entities, because one
    /// table holds the tree.
    ///
    /// - Throws: `.unknownConfiguration`.
    init(creating model: ManagedObjectModel, configuration: String?) throws(ModelError) {
        let roots = Set(
            try model.entities(forConfiguration: configuration).map(\.rootEntity.number))
        let members = model.entities.filter { roots.contains($0.rootEntity.number) }
        self.init(members.enumerated().map { ($1, Int64($0 + 1)) })
    }

    /// Matches the model's entities with those that a store lists, first by name, then by renaming
    /// identifier.
    ///
    /// An entity that was renamed in place more than once matches neither. It is matched by its
    /// number in the model, if the entity that the store lists under this number matched nothing
    /// else. Entities that the store does not list are left out.
    init(matching model: ManagedObjectModel, listed: [(name: String, number: Int64)]) {
        var left = Dictionary(listed, uniquingKeysWith: { first, _ in first })
        var numbers: [EntityNumber: Int64] = [:]
        let entities = model.entities
        for entity in entities {
            numbers[entity.number] = left.removeValue(forKey: entity.name)
        }
        for entity in entities where numbers[entity.number] == nil {
            numbers[entity.number] = left.removeValue(forKey: entity.renamingIdentifier)
        }
        let unexplained = Set(left.values)
        for entity in entities where numbers[entity.number] == nil {
            let number = Int64(entity.number.rawValue)
            if unexplained.contains(number) { numbers[entity.number] = number }
        }
        self.init(entities.compactMap { entity in numbers[entity.number].map { (entity, $0) } })
    }

    /// Returns the entities that are in one inheritance tree with one of the given entities.
    func inTrees(of others: [Entity]) -> StoreEntities {
        let roots = Set(others.map(\.rootEntity.number))
        return StoreEntities(entities.filter { roots.contains($0.entity.rootEntity.number) })
    }

    /// Returns the store's number for the entity, or `nil` if the store does not hold the entity.
    func storeNumber(of entity: EntityNumber) -> Int64? { numbers[entity] }

    /// Returns the entity with the given number in the store, or `nil` if the model has no such
    /// entity.
    func entityNumber(forStoreNumber number: Int64) -> EntityNumber? { byNumber[number] }
}

/// The version of a row, as stored in `Z_OPT`.
enum StoredVersion {
    /// The version of a row whose `Z_OPT` is NULL. Such a row was saved once.
    static let ofNull: Int64 = 1

    /// The SQL expression for a row's version, for comparison with the version that was read
    /// earlier.
    static let column = "ifnull(Z_OPT, \(ofNull))"
}
