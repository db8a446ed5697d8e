import CairnModel
import CairnRows

/// Describes how the objects of a store are converted from one version of a model to another.
struct ContentMapping {
    /// What happens to the rows of an entity.
    enum Fate {
        /// The rows become rows of the corresponding entity of the new model.
        case continues(EntityMapping)
        /// The rows are removed, because the entity was removed.
        case removed
        /// The rows cannot be converted, because the corresponding entity of the new model is
        /// abstract, or the new store does not hold it. `entity` is the name of that entity.
        case impossible(entity: String, reason: String)
    }

    /// The layouts of the rows that are read.
    let old: RowLayouts
    /// The layouts of the rows that are written.
    let new: RowLayouts
    /// Which entities and properties of the two versions are the same.
    let correspondence: ModelCorrespondence
    /// What happens to the rows of each old entity, indexed by entity number minus 1.
    private let fates: [Fate]
    /// The numbers of each old entity in the new model, indexed by entity number minus 1.
    private let numbers: [(root: EntityNumber, entity: EntityNumber)?]

    /// - Parameters:
    ///   - old: the layouts of the model with which the contents are read.
    ///   - new: the layouts of the model with which the contents are written.
    ///   - entities: the entities of the new model whose hierarchies the new store holds.
    init(from old: RowLayouts, to new: RowLayouts, holding entities: [Entity]) {
        let held = Set(entities.map(\.rootEntity.number))
        self.old = old
        self.new = new
        let correspondence = ModelCorrespondence(from: old.model, to: new.model)
        self.correspondence = correspondence
        let continued = old.model.entities.map(correspondence.newEntity)
        numbers = continued.map { $0.map { ($0.rootEntity.number, $0.number) } }
        let keepsNumbers = zip(old.model.entities, continued).allSatisfy { before, after in
            guard let after else { return false }
            return before.hierarchyNumbers == after.hierarchyNumbers
                && before.rootEntity.number == after.rootEntity.number
        }
        fates = zip(old.model.entities, continued).map { before, after in
            guard let after else { return .removed }
            if after.isAbstract {
                return .impossible(
                    entity: after.name,
                    reason:
                        "it is now abstract, but the store contains objects of this entity itself")
            }
            guard held.contains(after.rootEntity.number) else {
                return .impossible(
                    entity: after.name,
                    reason: "the store contains objects of it, but its configuration no longer"
                        + " includes the entity")
            }
            return .continues(
                EntityMapping(
                    correspondence, from: old.layout(of: before), to: new.layout(of: after),
                    keepsNumbers: keepsNumbers))
        }
    }

    /// Returns what happens to the rows of an entity of the old model, or `nil` if the model has no
    /// entity with this number.
    func fate(of number: EntityNumber) -> Fate? {
        let index = Int(number.rawValue) - 1
        return fates.indices.contains(index) ? fates[index] : nil
    }

    /// Returns the ID of the same object in the new store, or `nil` if the object's entity was
    /// removed.
    func id(_ id: ObjectID, in store: StoreNumber) -> ObjectID? {
        guard let (root, entity) = numbers(of: id.entity) else { return nil }
        return ObjectID(store: store, rootEntity: root, entity: entity, key: id.key)
    }

    /// Returns the numbers that an entity of the old model and its root entity have in the new
    /// model, or `nil` if the entity was removed.
    func numbers(of entity: EntityNumber) -> (root: EntityNumber, entity: EntityNumber)? {
        let index = Int(entity.rawValue) - 1
        return numbers.indices.contains(index) ? numbers[index] : nil
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
    /// A to-one slot. The destination is kept if its new entity is one of `entities`.
    case destination(RowLayout.Slot, entities: Range<EntityNumber>)
    /// The same value in every row.
    case constant(Value)
}

extension SlotMapping {
    /// Returns the slot from which the value can be copied byte for byte if the row keeps no bytes
    /// elsewhere, or `nil` if the value may change.
    ///
    /// - Parameter keepsNumbers: whether all entities keep their numbers and subentities, so that
    ///   destinations do not change.
    func unchangedSource(for slot: RowLayout.Slot, keepsNumbers: Bool) -> RowLayout.Slot? {
        switch self {
        case .same(let source), .bytes(let source, .null):
            source.kind == slot.kind ? source : nil
        case .destination(let source, _): keepsNumbers ? source : nil
        case .bytes, .converted, .constant: nil
        }
    }
}
