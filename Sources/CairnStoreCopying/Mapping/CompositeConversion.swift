import CairnModel

/// A conversion of values of one composite to the composite that continues it in the new model.
struct CompositeConversion {
    /// One element of the new composite.
    private struct Element {
        let name: String
        /// The name of the element in the old composite, or `nil` if it had no such element.
        let oldName: String?
        let conversion: ValueConversion
        /// The value to use if the old value is missing.
        let missing: Value
    }

    private let elements: [Element]

    /// - Parameter models: both models, which are needed for composites within composites.
    init(
        from old: CompositeDescription, to new: CompositeDescription, in models: ModelCorrespondence
    ) {
        elements = new.elements.map { element in
            let before = models.oldElement(of: element, in: new, from: old)
            return Element(
                name: element.name, oldName: before?.name,
                conversion: before.map { ValueConversion(from: $0, to: element, in: models) }
                    ?? .none,
                missing: before == nil || !element.isOptional ? element.defaultValue : .null)
        }
    }

    /// Whether the values of the elements are not changed. A composite inside this one may differ even if both
    /// versions of this one are equal.
    var isNone: Bool { elements.allSatisfy(\.conversion.isNone) }

    func apply(to value: Value) -> Value? {
        guard case .composite(let values) = value else { return value == .null ? .null : nil }
        var converted: [String: Value] = [:]
        for element in elements {
            let old = element.oldName.flatMap { values[$0] } ?? .null
            guard let new = element.conversion.apply(to: old) else { return nil }
            let value = new == .null ? element.missing : new
            if value != .null { converted[element.name] = value }
        }
        return .composite(converted)
    }
}
