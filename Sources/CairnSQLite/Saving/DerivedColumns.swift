import CairnModel
import CairnStore

/// A derived attribute whose value we compute when objects are saved.
struct DerivedColumn: Sendable {
    let attribute: Attribute
    let expression: BoundExpression
    /// The walks over relationships on which the value depends, from the object on.
    let walks: [[Relationship]]
    /// Whether the value is that of the moment in which the object itself is saved.
    let isOfItsMoment: Bool
}

/// The derived attributes of a store that no trigger of it keeps.
struct DerivedColumns: Sendable {
    let columns: [DerivedColumn]

    /// What a store needs in which nothing is saved.
    static let none = DerivedColumns(columns: [])

    private init(columns: [DerivedColumn]) { self.columns = columns }

    /// - Parameter triggers: names of the store's triggers.
    /// - Throws: `.unsupported`, for one whose expression cannot be computed.
    init(
        _ map: SchemaMap, triggers: Set<String>, at location: StoreLocation
    ) throws(StoreError) {
        var columns: [DerivedColumn] = []
        for (entity, _) in map.entities.entities {
            for case .attribute(let attribute) in entity.ownProperties
            where attribute.isDerived && map.column(of: attribute) != nil {
                let mark = "_\(entity.name)_\(attribute.name)_"
                guard !triggers.contains(where: { $0.hasPrefix("Z_DA_") && $0.contains(mark) })
                else { continue }
                columns.append(try Self.column(attribute, at: location))
            }
        }
        self.columns = columns
    }

    private static func column(
        _ attribute: Attribute, at location: StoreLocation
    ) throws(StoreError) -> DerivedColumn {
        let derivation = attribute.description.derivation
        let text = derivation?.expression ?? ""
        let feature =
            "the derived attribute \(attribute.entity.name).\(attribute.name), “\(text)”"
        let expression: BoundExpression
        do throws(FetchPredicateError) {
            expression = try FetchExpression(format: text).bound(to: attribute.entity)
        } catch {
            throw .unsupported(
                location, feature: feature, advice: "Correct the expression: \(error)")
        }
        guard derivation?.filter == nil, !expression.isCollection else {
            throw .unsupported(
                location, feature: feature + " with a filter or several values",
                advice: "Compute the attribute in the application instead.")
        }
        return DerivedColumn(
            attribute: attribute, expression: expression,
            walks: expression.paths.map(\.relationships).filter { !$0.isEmpty },
            isOfItsMoment: expression.callsNow)
    }
}

extension BoundExpression {
    fileprivate var callsNow: Bool {
        switch self {
        case .constant, .path, .subqueryCount: false
        case .list(let items): items.contains(where: \.callsNow)
        case .function(let function, let items):
            function == .now || items.contains(where: \.callsNow)
        case .conditional(_, let then, let otherwise): then.callsNow || otherwise.callsNow
        }
    }
}
