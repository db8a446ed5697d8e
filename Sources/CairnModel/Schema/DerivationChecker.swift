/// Finds derived attributes that no store can compute.
///
/// This is separate from ``ModelChecker`` because expressions are bound to entities, which exist only if
/// the model is valid in all other respects.
struct DerivationChecker {
    let model: ManagedObjectModel

    /// Returns the problems, sorted by entity and property. Empty if every expression can be computed.
    func problems() -> [ModelProblem] {
        model.entities.flatMap { entity in
            entity.ownProperties.compactMap { property in
                guard case .attribute(let attribute) = property,
                    let detail = Self.problem(of: attribute)
                else { return nil }
                return ModelProblem(
                    .invalidDerivation, entity: entity.name, property: attribute.name,
                    "it cannot be derived: \(detail)")
            }
        }
    }

    /// Returns a description of the problem with the attribute's derivation, without a full stop. Returns
    /// `nil` if there is no problem or if the form of the derivation is not supported.
    private static func problem(of attribute: Attribute) -> String? {
        guard let derivation = attribute.description.derivation, !derivation.expression.isEmpty
        else { return nil }
        do throws(FetchPredicateError) {
            let expression = try FetchExpression(format: derivation.expression)
                .bound(to: attribute.entity)
            return expression.isCollection
                ? "“\(derivation.expression)” has several values" : nil
        } catch {
            return "\(error)".trimmingSuffix(".")
        }
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: Character) -> String {
        last == suffix ? String(dropLast()) : self
    }
}
