import CairnModel
import CairnSQL

/// Which entities of a store continue as which entities of the new version.
struct EntityPairs {
    let changes: ModelCorrespondence
    let old: StoreEntities
    let new: StoreEntities
    /// The new root entity that takes over the table of each old root.
    private let newRoots: [EntityNumber: Entity]
    private let oldRoots: [EntityNumber: Entity]

    /// Returns `nil` if rows would have to move to another root's table, or if an entity continues
    /// in a part of the model that the store will not hold.
    init?(_ changes: ModelCorrespondence, from old: StoreEntities, to new: StoreEntities) {
        self.changes = changes
        self.old = old
        self.new = new
        var newRoots: [EntityNumber: Entity] = [:]
        var oldRoots: [EntityNumber: Entity] = [:]
        for (entity, _) in old.entities {
            guard let continued = changes.newEntity(of: entity) else { continue }
            guard new.storeNumber(of: continued.number) != nil else { return nil }
            let (before, after) = (entity.rootEntity, continued.rootEntity)
            if let known = newRoots[before.number], known != after { return nil }
            if let known = oldRoots[after.number], known != before { return nil }
            newRoots[before.number] = after
            oldRoots[after.number] = before
        }
        self.newRoots = newRoots
        self.oldRoots = oldRoots
    }

    /// Returns the store's entity that an entity of the new version continues, or `nil` if the
    /// store has no such entity.
    func old(of entity: Entity) -> Entity? {
        guard let old = changes.oldEntity(of: entity), self.old.storeNumber(of: old.number) != nil
        else { return nil }
        return old
    }

    /// Returns the entity that continues an entity of the store, or `nil` if that entity was
    /// removed.
    func new(of entity: Entity) -> Entity? { changes.newEntity(of: entity) }

    /// Returns the old root whose table becomes the table of a new root, or `nil` if the table is
    /// new.
    func oldRoot(of root: Entity) -> Entity? { oldRoots[root.number] }

    /// Returns the new root that takes over the table of an old root, or `nil` if the table is
    /// dropped.
    func newRoot(of root: Entity) -> Entity? { newRoots[root.number] }

    /// Returns the store's relationship that a relationship of the new version continues, as seen
    /// from one entity. Returns `nil` if the store's version had no such relationship, or did not
    /// store it.
    func oldRelationship(of relationship: Relationship, in entity: Entity) -> Relationship? {
        guard old(of: entity) != nil,
            case .relationship(let old)? = changes.oldProperty(
                named: relationship.name, of: entity),
            !old.isTransient
        else { return nil }
        return old
    }

    /// The old and new numbers of the entities whose number changes.
    var renumbered: [(old: Int64, new: Int64)] {
        old.entities.compactMap { entity, number in
            guard let after = new(of: entity).flatMap({ new.storeNumber(of: $0.number) }),
                after != number
            else { return nil }
            return (number, after)
        }
    }

    /// Returns the old numbers of the removed entities in the hierarchy of `root`, including `root`
    /// itself.
    func removedNumbers(below root: Entity) -> [Int64] {
        root.hierarchy.filter { new(of: $0) == nil }
            .compactMap { old.storeNumber(of: $0.number) }
    }

    /// Returns the old numbers of entities of the new version. Added entities are left out.
    func oldNumbers(of entities: [Entity]) -> [Int64] {
        entities.compactMap { old(of: $0) }.compactMap { old.storeNumber(of: $0.number) }
    }
}

/// The steps that rename tables, or the columns of a table.
///
/// Names may be swapped, or one may take over another's old name. Such names are first changed to
/// temporary names.
struct NameMoves {
    /// The renamings, in the order in which they must happen. `nil` if a new name is already used
    /// by something else.
    let moves: [(from: SQLName, to: SQLName)]?

    /// - Parameters:
    ///   - names: The old and the new name of each table or column. The old name is `nil` for one
    ///     that will be added.
    ///   - taken: The names in use, in upper case.
    ///   - mark: The prefix of temporary names.
    init(_ names: [(from: SQLName?, to: SQLName)], taken: Set<String>, mark: String) {
        let old = Set(names.compactMap { $0.from?.upperText })
        let wanted = Set(names.map(\.to.upperText))
        guard taken.subtracting(old).isDisjoint(with: wanted) else {
            moves = nil
            return
        }
        var aside: [(from: SQLName, to: SQLName)] = []
        var final: [(from: SQLName, to: SQLName)] = []
        for (from, to) in names {
            guard let from, from.upperText != to.upperText else { continue }
            if wanted.contains(from.upperText) {
                let temporary = SQLName("\(mark)\(aside.count)")
                aside.append((from, temporary))
                final.append((temporary, to))
            } else {
                final.append((from, to))
            }
        }
        moves = aside + final
    }
}

extension SQLName {
    /// The name in upper case, because SQLite ignores case in names.
    var upperText: String { text.uppercased() }
}
