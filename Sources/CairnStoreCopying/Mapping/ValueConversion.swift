import CairnModel

/// A conversion of values of one attribute to the attribute that continues it in the new model.
indirect enum ValueConversion {
    /// Values are not changed.
    case none
    /// Values are converted to another type without loss.
    case type(from: AttributeType, to: AttributeType)
    /// Values are converted element by element.
    case composite(CompositeConversion)

    /// Returns the converted value, or `nil` for a value that does not have the old attribute's
    /// type.
    func apply(to value: Value) -> Value? {
        switch self {
        case .none: value
        case .type(let from, let to): from.convert(value, to: to)
        case .composite(let conversion): conversion.apply(to: value)
        }
    }
}

extension ValueConversion {
    /// Creates the conversion from one attribute to the attribute that continues it.
    init(
        from old: AttributeDescription, to new: AttributeDescription,
        in models: ModelCorrespondence
    ) {
        if old.type != new.type {
            self = .type(from: old.type, to: new.type)
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

    /// Whether values are not changed.
    var isNone: Bool { if case .none = self { true } else { false } }
}
