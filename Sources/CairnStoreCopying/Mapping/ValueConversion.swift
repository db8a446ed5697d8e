import CairnModel

/// A conversion of values of one attribute to the attribute that continues it in the new model.
indirect enum ValueConversion {
    /// Values are not changed.
    case none
    /// Values are converted to another type without loss.
    case type(from: AttributeType, to: AttributeType)
    /// Numbers are converted to another type of number. Fractions are dropped for integers.
    case number(to: AttributeType)
    /// Numbers are converted to another type of number that represents them exactly.
    case exactNumber(from: AttributeType, to: AttributeType)
    /// Values are converted element by element.
    case composite(CompositeConversion)

    /// Returns the converted value, or `nil` for a value that does not have the old attribute's
    /// type, or that the new type does not represent.
    func apply(to value: Value) -> Value? {
        switch self {
        case .none: value
        case .type(let from, let to): from.convert(value, to: to)
        case .number(let to): value == .null ? value : Value(any: value.anyValue, as: to)
        case .exactNumber(let from, let to): Self.exactly(value, from, to)
        case .composite(let conversion): conversion.apply(to: value)
        }
    }
}

extension ValueConversion {
    private static func exactly(
        _ value: Value, _ from: AttributeType, _ to: AttributeType
    ) -> Value? {
        guard value != .null else { return value }
        guard let converted = Value(any: value.anyValue, as: to),
            Value(any: converted.anyValue, as: from) == value
        else { return nil }
        return converted
    }

    /// Creates the conversion from one attribute to the attribute that continues it.
    init(
        from old: AttributeDescription, to new: AttributeDescription,
        in models: ModelCorrespondence
    ) {
        if old.type != new.type {
            self =
                old.type.convertsLosslessly(to: new.type)
                ? .type(from: old.type, to: new.type)
                : .exactNumber(from: old.type, to: new.type)
        } else if old.type == .composite,
            let before = old.compositeName.flatMap(models.old.composite),
            let after = new.compositeName.flatMap(models.new.composite)
        {
            let conversion = CompositeConversion(from: before, to: after, in: models)
            self = before == after && conversion.isNone ? .none : .composite(conversion)
        } else {
            self = .none
        }
    }

    /// Creates the conversion of a mapping model from one type to another.
    init(from old: AttributeType, to new: AttributeType) {
        self =
            old == new
            ? .none : old.convertsLosslessly(to: new) ? .type(from: old, to: new) : .number(to: new)
    }

    /// Whether there may be values that are not converted.
    var mayFail: Bool { if case .exactNumber = self { true } else { false } }

    /// Whether values are not changed.
    var isNone: Bool { if case .none = self { true } else { false } }
}

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
