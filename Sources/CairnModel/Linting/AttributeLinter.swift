import Foundation

/// Finds likely mistakes in the declaration of an attribute.
struct AttributeLinter {
    private let attribute: Attribute

    init(_ attribute: Attribute) { self.attribute = attribute }

    func warnings() -> [ModelWarning] {
        let description = attribute.description
        var warnings: [ModelWarning] = []
        func warn(_ kind: ModelWarning.Kind, _ detail: String) {
            warnings.append(
                ModelWarning(
                    kind: kind, entity: attribute.entity.name, property: attribute.name,
                    detail: detail))
        }
        if description.type == .transformable, description.valueTransformerName == nil,
            description.derivation == nil
        {
            warn(
                .noTransformer,
                "it is transformable but names no transformer, so Core Data uses one that is not secure."
                    + " Name a secure transformer")
        }
        if let range = range, range.minimum > range.maximum {
            warn(.emptyRange, "its minimum is greater than its maximum, so no value is valid")
        } else if let violated = violatedBound {
            warn(
                .invalidDefault, "its default value is \(violated) that its validation rules allow")
        }
        warnings += description.unreadableValueWarnings(in: attribute.entity.name)
        if description.isIndexed, attribute.entity.description.fetchIndexes.isEmpty {
            warn(.legacyIndex, "it uses the older index setting; use a fetch index instead")
        }
        return warnings
    }

    private var range: (minimum: Double, maximum: Double)? {
        guard let minimum, let maximum else { return nil }
        return (minimum, maximum)
    }

    private var minimum: Double? {
        firstBound { rule in
            switch rule {
            case .minimum(let value): Self.number(value)
            case .minimumLength(let count): Double(count)
            default: nil
            }
        }
    }

    private var maximum: Double? {
        firstBound { rule in
            switch rule {
            case .maximum(let value): Self.number(value)
            case .maximumLength(let count): Double(count)
            default: nil
            }
        }
    }

    private func firstBound(_ bound: (ValidationRule) -> Double?) -> Double? {
        attribute.description.validationRules.lazy.compactMap(bound).first
    }

    /// How the default value violates a bound, worded to precede “that its validation rules allow”.
    private var violatedBound: String? {
        let measure: Double? =
            switch attribute.description.defaultValue {
            case .string(let text): Double(text.utf16.count)
            case let value: Self.number(value)
            }
        guard let measure else { return nil }
        if let minimum, measure < minimum { return "less than the minimum" }
        if let maximum, measure > maximum { return "greater than the maximum" }
        return nil
    }

    private static func number(_ value: Value) -> Double? {
        switch value {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .float(let value): Double(value)
        case .decimal(let value): Double(value.description)
        case .date(let date): date.timeIntervalSinceReferenceDate
        default: nil
        }
    }
}

extension AttributeDescription {
    /// Returns a warning for each value of the source model that is not a value of the type.
    ///
    /// - Parameter owner: The name of the entity or of the composite.
    func unreadableValueWarnings(in owner: String) -> [ModelWarning] {
        unreadableValues.sorted { $0.key < $1.key }.map { name, text in
            ModelWarning(
                kind: .unreadableValue, entity: owner, property: self.name,
                detail:
                    "its \(name) “\(text)” is not a value of the type \(type.sourceName), so it has no"
                    + " effect; correct or remove it")
        }
    }
}
