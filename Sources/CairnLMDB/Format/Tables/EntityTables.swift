import CairnModel
import CairnRows

/// The tables that hold data of one concrete entity's rows.
///
/// A class, because every row of a save refers to it.
final class EntityTables: Sendable {
    let entity: EntityNumber
    let root: EntityNumber
    let name: String
    let isAbstract: Bool
    /// Whether the store's configuration has an entity of the same inheritance tree. The file has
    /// tables for all entities.
    let isHeld: Bool
    let rows: LMDBTable
    /// The slots whose values may be stored outside the row.
    let externalSlots: [RowLayout.Slot]
    let indexes: [RowIndex]
    let links: [RowLink]
    let constraints: [RowConstraint]
    /// The pairs in which objects of the entity are owners.
    let ownedPairs: [PairTables]
    /// The pairs in which objects of the entity are members.
    let memberPairs: [PairTables]

    init(_ entity: Entity, _ parts: Parts, layouts: RowLayouts, isHeld: Bool) {
        self.isHeld = isHeld
        self.entity = entity.number
        root = entity.rootEntity.number
        name = entity.name
        isAbstract = entity.isAbstract
        rows = parts.rows
        externalSlots = layouts.layout(of: entity).slots.filter { $0.kind == .externalBinary }
        indexes = parts.indexes
        links = parts.links
        constraints = parts.constraints
        ownedPairs = parts.ownedPairs
        memberPairs = parts.memberPairs
    }

    /// The tables that a builder collects for one entity.
    struct Parts {
        let rows: LMDBTable
        var indexes: [RowIndex] = []
        var links: [RowLink] = []
        var constraints: [RowConstraint] = []
        var ownedPairs: [PairTables] = []
        var memberPairs: [PairTables] = []
    }
}
