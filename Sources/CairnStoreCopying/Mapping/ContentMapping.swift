import CairnModel
import CairnRows
import CairnStore

/// Describes how the objects of a store are converted from one version of a model to another.
struct ContentMapping {
    /// What happens to the rows of an entity.
    enum Fate {
        /// Each row becomes a row for each of these mappings. None if the entity was removed.
        case continues([RowMapping])
        /// The rows cannot be converted, because the corresponding entity of the new model is
        /// abstract, or the new store does not hold it. `entity` is the name of that entity.
        case impossible(entity: String, reason: String)
    }

    /// The layouts of the rows that are read.
    let old: RowLayouts
    /// The layouts of the rows that are written.
    let new: RowLayouts
    /// The relationships that became each other's inverse.
    let joinedEnds: [ModelCorrespondence.JoinedEnds]
    /// What happens to the rows of each old entity, indexed by entity number minus 1.
    private let fates: [Fate]
    /// The successors of objects. Relationships refer to them by index, so that no reference is
    /// counted for each row. The first table is that of an inferred mapping.
    let successors: [ObjectSuccessors]
    /// The paths that the rows of each old entity need, indexed by entity number minus 1.
    let paths: [[RowPath]]
    /// The to-one relationships of the new model whose destinations follow from their inverse.
    let links: [LinkSource]
    private let pairs: ([Entity]) -> [PairSource]

    /// Creates an inferred mapping.
    ///
    /// - Parameters:
    ///   - old: the layouts of the model with which the contents are read.
    ///   - new: the layouts of the model with which the contents are written.
    ///   - entities: the entities of the new model whose hierarchies the new store holds.
    ///   - coded: the entities of the new model whose objects need not meet the conditions of the inferred
    ///     migration, because code sets their properties later.
    init(
        from old: RowLayouts, to new: RowLayouts, holding entities: [Entity], coded: [Entity] = []
    ) {
        let held = Set(entities.map(\.rootEntity.number))
        self.old = old
        self.new = new
        let correspondence = ModelCorrespondence(from: old.model, to: new.model)
        let continued = old.model.entities.map(correspondence.newEntity)
        let keepsNumbers = zip(old.model.entities, continued).allSatisfy { before, after in
            guard let after else { return false }
            return before.hierarchyNumbers == after.hierarchyNumbers
                && before.rootEntity.number == after.rootEntity.number
        }
        fates = zip(old.model.entities, continued).map { before, after in
            guard let after else { return .continues([]) }
            if let impossible = Self.obstacle(to: after, held) { return impossible }
            return .continues([
                RowMapping(
                    correspondence, from: old.layout(of: before), to: new.layout(of: after),
                    keepsNumbers: keepsNumbers, isCoded: coded.contains(after))
            ])
        }
        successors = [ObjectSuccessors(continued.map { ($0, 0) })]
        paths = old.model.entities.map { _ in [] }
        links = []
        joinedEnds = correspondence.joinedEnds()
        let sources = PairSources(correspondence)
        pairs = { entities in entities.flatMap(sources.sources) }
    }

    /// Creates the mapping of a mapping model, as far as rows alone determine the objects.
    ///
    /// - Parameters:
    ///   - keys: the key offset of each rule of the mapping.
    init(
        _ mapping: ResolvedMapping, keys: KeyOffsets, from old: RowLayouts, to new: RowLayouts,
        holding entities: [Entity]
    ) {
        let held = Set(entities.map(\.rootEntity.number))
        self.old = old
        self.new = new
        var builder = MappingRowsBuilder(mapping, keys, from: old, to: new)
        fates = old.model.entities.map { entity in
            let rules = mapping.rules.indices.filter {
                mapping.rules[$0].source == entity && mapping.rules[$0].policy == nil
            }
            for rule in rules {
                if let impossible = Self.obstacle(to: mapping.rules[rule].destination, held) {
                    return impossible
                }
            }
            return .continues(rules.map { builder.rowMapping($0) })
        }
        links = builder.links()
        let found = builder.pairSources()
        pairs = { entities in found.filter { entities.contains($0.told.entity) } }
        successors = builder.successors
        paths = builder.paths
        joinedEnds = []
    }

    private static func obstacle(to entity: Entity, _ held: Set<EntityNumber>) -> Fate? {
        if entity.isAbstract {
            return .impossible(
                entity: entity.name,
                reason: "it is now abstract, but the store contains objects of this entity itself")
        }
        guard !held.contains(entity.rootEntity.number) else { return nil }
        return .impossible(
            entity: entity.name,
            reason: "the store contains objects of it, but its configuration no longer"
                + " includes the entity")
    }

    /// Returns what happens to the rows of an entity of the old model, or `nil` if the model has no
    /// entity with this number.
    func fate(of number: EntityNumber) -> Fate? {
        let index = Int(number.rawValue) - 1
        return fates.indices.contains(index) ? fates[index] : nil
    }

    /// Returns the sources of all pairs and orders of relationships of these entities of the new model,
    /// in the order in which they have to be read.
    func pairSources(of entities: [Entity]) -> [PairSource] { pairs(entities) }
}

/// The IDs that the objects of the old store have in the new one.
struct ObjectSuccessors {
    private typealias Successor = (root: EntityNumber, entity: EntityNumber, keyOffset: Int64)

    /// Indexed by entity number minus 1.
    private let entities: [Successor?]

    /// - Parameter entities: the entity of the new model that continues each entity of the old model,
    ///   if one does, and the number that is added to the keys.
    init(_ entities: [(entity: Entity?, keyOffset: Int64)]) {
        self.entities = entities.map { entity, keyOffset in
            entity.map { ($0.rootEntity.number, $0.number, keyOffset) }
        }
    }

    /// Returns the ID of the successor of an object, or `nil` if the object has none.
    func id(_ id: ObjectID, in store: StoreNumber) -> ObjectID? {
        let index = Int(id.entity.rawValue) - 1
        guard entities.indices.contains(index), let (root, entity, keyOffset) = entities[index]
        else { return nil }
        return ObjectID(
            store: store, rootEntity: root, entity: entity, key: id.key &+ keyOffset)
    }

    /// Returns whether the successors of all objects of some entities have the same numbers and keys.
    func keepNumbers(of hierarchy: [Entity]) -> Bool {
        hierarchy.allSatisfy { entity in
            guard let successor = entities[Int(entity.number.rawValue) - 1] else { return false }
            return successor == (entity.rootEntity.number, entity.number, 0)
        }
    }
}

/// The source of one slot's value in a migrated row.
enum SlotMapping {
    /// A slot of the same kind, copied byte for byte.
    case same(RowLayout.Slot)
    /// The slot of an attribute, with a conversion. `nil` becomes the value `missing`.
    case converted(RowLayout.Slot, conversion: ValueConversion, missing: Value)
    /// A slot with bytes that may be outside of the row in the old store, in the new store, or in
    /// both. `nil` becomes the value `missing`.
    case bytes(RowLayout.Slot, missing: Value)
    /// A to-one slot. The destination is the successor, from the table with this index, if its entity
    /// is one of `entities`. If all successors keep their numbers, the slot is copied as it is.
    case destination(
        RowLayout.Slot, successors: Int, entities: Range<EntityNumber>, keepsNumbers: Bool)
    /// The same value in every row.
    case constant(Value)
    /// The value at the end of a path, by its index among the paths of the row's entity.
    case found(path: Int, conversion: ValueConversion)
    /// The successor of the object at the end of a path, or of the row's own object.
    case successor(path: Int?, successors: Int, entities: Range<EntityNumber>)
    /// The object whose inverse relationship leads to this one, by the index of the link.
    case linked(Int)
}

extension SlotMapping {
    /// The slot of the old row that has the value, if one has.
    var oldSlot: RowLayout.Slot? {
        switch self {
        case .same(let slot), .converted(let slot, _, _), .bytes(let slot, _),
            .destination(let slot, _, _, _):
            slot
        case .constant, .found, .successor, .linked: nil
        }
    }

    /// Returns the slot from which the value can be copied byte for byte if the row keeps no bytes
    /// elsewhere, or `nil` if the value may change.
    func unchangedSource(for slot: RowLayout.Slot) -> RowLayout.Slot? {
        switch self {
        case .same(let source), .bytes(let source, .null):
            source.kind == slot.kind ? source : nil
        case .destination(let source, _, _, let keepsNumbers): keepsNumbers ? source : nil
        case .bytes, .converted, .constant, .found, .successor, .linked: nil
        }
    }
}
