/// Finds derived attributes that no store could compute.
///
/// Apart from ``ModelChecker``, because expressions are bound to entities, which only a model that
/// is sound otherwise has.
struct DerivationChecker {
    let model: ManagedObjectModel

    /// Returns the problems, by entity and property. The result is empty if every expression can be
    /// computed.
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

    /// What is wrong with the attribute's derivation, without a full stop. `nil` if nothing is, or the
    /// derivation has no known form.
    private static func problem(of attribute: Attribute) -> String? {
        guard let derivation = attribute.description.derivation, !derivation.expression.isEmpty
        else { return nil }
        do throws(FetchPredicateError) {
            let expression = try FetchExpression(format: derivation.expression)
                .bound(to: attribute.entity)
            return expression.isCollection
                ? "“\(derivation.expression)” gives several values" : nil
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
