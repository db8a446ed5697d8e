import CairnModel
import CairnSQL

/// The triggers that keep derived attributes up to date, with the same SQL text as in Core Data's
/// own stores.
///
/// Only `relationship.@count` over a to-many relationship with a to-one inverse has triggers, as in
/// stores written by Core Data. All other derivations are computed when objects are saved
/// (``DerivationWriter``).
struct DerivationTriggers {
    let map: SchemaMap

    func statements() -> [String] {
        map.entities.entities.flatMap { entity, _ in
            entity.ownProperties.flatMap { property -> [String] in
                guard case .attribute(let attribute) = property else { return [] }
                return statements(of: attribute)
            }
        }
    }

    private func statements(of attribute: Attribute) -> [String] {
        guard let counted = attribute.countedRelationship,
            let inverse = counted.inverse,
            let owner = map.schema(of: attribute.entity)?.table,
            let column = map.column(of: attribute)?.name,
            let member = map.schema(of: counted.destination)?.table,
            let key = map.column(of: inverse)?.name
        else { return [] }
        let count = CountTriggers(
            attribute: attribute, owner: owner, column: column, member: member, key: key)
        return count.statements
    }
}

extension Attribute {
    /// The relationship that the attribute counts, if it is a to-many with a to-one inverse. `nil`
    /// if the attribute has any other derivation, or none.
    var countedRelationship: Relationship? {
        guard let derivation = description.derivation, derivation.filter == nil else { return nil }
        let parts = derivation.expression.split(separator: ".")
        guard parts.count == 2, parts[1] == "@count",
            let relationship = entity.relationship(named: String(parts[0])),
            relationship.isToMany, let inverse = relationship.inverse, !inverse.isToMany,
            !relationship.isTransient
        else { return nil }
        return relationship
    }
}

/// The five triggers that maintain one count.
private struct CountTriggers {
    let attribute: Attribute
    let owner: SQLName
    let column: SQLName
    let member: SQLName
    let key: SQLName

    var statements: [String] {
        [
            trigger(
                on: member, "PARAMETER_INSERT", "INSERT", when: "NEW",
                "IFNULL(\(column), 0) + 1"),
            trigger(
                on: member, "PARAMETER_UPDATE_INCREMENT", "UPDATE OF \(key)", when: "NEW",
                "\(column) + 1"),
            trigger(
                on: member, "PARAMETER_UPDATE_DECREMENT", "UPDATE OF \(key)", when: "OLD",
                "\(column) - 1"),
            trigger(on: member, "PARAMETER_DELETE", "DELETE", when: "OLD", "\(column) - 1"),
            insertion,
        ]
    }

    private func trigger(
        on table: SQLName, _ suffix: String, _ event: String, when row: String, _ value: String
    ) -> String {
        "CREATE TRIGGER \(name(table, suffix)) AFTER \(event) ON \(table)"
            + " FOR EACH ROW WHEN (\(row).\(key) NOT NULL) BEGIN"
            + " UPDATE \(owner) SET \(column) = \(value) WHERE Z_PK = \(row).\(key);"
            + " \(report("Updated", "\(row).\(key)")) END"
    }

    private var insertion: String {
        "CREATE TRIGGER \(name(owner, "SOURCE_INSERT")) AFTER INSERT ON \(owner)"
            + " FOR EACH ROW BEGIN UPDATE \(owner) SET \(column) ="
            + " (SELECT IFNULL(COUNT(\(key)), 0) FROM \(member) WHERE \(key) = NEW.Z_PK)"
            + " WHERE Z_PK = NEW.Z_PK; \(report("InsertUpdated", "NEW.Z_PK")) END"
    }

    private func name(_ table: SQLName, _ suffix: String) -> SQLName {
        SQLName("Z_DA_\(table.text)_\(attribute.entity.name)_\(attribute.name)_\(suffix)")
    }

    private func report(_ kind: String, _ row: String) -> String {
        "SELECT NSCoreDataDATrigger\(kind)AffectedObjectValue("
            + "\(literal(owner.text)), Z_ENT, Z_PK, \(literal(attribute.name)), \(column))"
            + " FROM \(owner) WHERE Z_PK = \(row);"
    }

    private func literal(_ text: String) -> String {
        "'" + text.replacing("'", with: "''").replacing("\0", with: "\u{FFFD}") + "'"
    }
}
