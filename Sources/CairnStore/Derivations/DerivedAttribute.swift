import CairnModel

/// A derived attribute with its expression resolved.
package struct DerivedAttribute: Sendable {
    package let attribute: Attribute
    /// Where rows keep the value.
    package let slot: Int
    let expression: BoundExpression
    /// Whether the value is that of the moment in which the object itself is saved.
    let isOfItsMoment: Bool
    /// The walks over relationships on which the value depends, from the object on.
    let walks: [[Relationship]]

    /// `nil` for an attribute that is not derived, that no row holds, or whose derivation is of no
    /// known form: it keeps the value that its row brings.
    ///
    /// - Throws: `.unsupported`.
    init?(_ attribute: Attribute, at location: StoreLocation) throws(StoreError) {
        guard let derivation = attribute.description.derivation, let slot = attribute.rowSlot,
            !derivation.expression.isEmpty
        else { return nil }
        let feature = "the derived attribute \(attribute.entity.name).\(attribute.name)"
        guard derivation.filter == nil else {
            throw .unsupported(
                location, feature: "\(feature) with a filter",
                advice: "Compute the attribute in the application instead.")
        }
        do throws(FetchPredicateError) {
            expression = try FetchExpression(format: derivation.expression)
                .bound(to: attribute.entity)
        } catch {
            throw .unsupported(
                location, feature: "\(feature), “\(derivation.expression)”",
                advice: "Correct the expression: \(error)")
        }
        guard !expression.isCollection else {
            throw .unsupported(
                location, feature: "\(feature), “\(derivation.expression)”",
                advice: "It gives several values; use @count, @sum, @min, @max or @avg.")
        }
        self.attribute = attribute
        self.slot = slot
        isOfItsMoment = expression.callsNow
        walks = expression.paths.map(\.relationships).filter { !$0.isEmpty }
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
