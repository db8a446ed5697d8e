import CairnModel
import CairnStore

/// A derived attribute whose expression has been resolved.
package struct DerivedAttribute: Sendable {
    package let attribute: Attribute
    /// The index of the slot in which rows store the value.
    package let slot: Int
    let expression: BoundExpression
    /// Whether the value depends on the time at which the object itself is saved.
    let dependsOnNow: Bool
    /// The chains of relationships, starting at the object, on which the value depends.
    let walks: [[Relationship]]

    /// Resolves a derived attribute. Returns `nil` if the attribute is not derived, is not stored
    /// in rows, or has a derivation without an expression. Such an attribute keeps the value of its
    /// row.
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
                advice: "Compute the attribute in your program instead.")
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
                advice: "The expression has several values. Summarize them with @count, @sum, @min,"
                    + " @max or @avg.")
        }
        self.attribute = attribute
        self.slot = slot
        dependsOnNow = expression.callsNow
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
