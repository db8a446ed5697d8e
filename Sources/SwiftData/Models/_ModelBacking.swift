public import CairnRows

/// The stored variable of a `@Model` class that leads to its values. Generated code uses it.
@frozen public struct _ModelBacking {
    /// The values. `nil` before the first one is set.
    @usableFromInline private(set) var data: BackingData?
    /// The context while the model has no unsaved changes. A context holds its changed models, so these must not hold it.
    private var context: ModelContext?

    /// The values, for reading or setting one of them. The model holds them.
    @inlinable @inline(__always) public var uncounted: Uncounted<BackingData>? {
        data.map { Uncounted($0) }
    }

    /// Creates the variable of a model, which may be one that a context is creating.
    public init(of type: AnyClass) {
        data = ModelInCreation.take(type)
        context = data?.home?.context
    }

    init(_ data: BackingData, in context: ModelContext?) {
        (self.data, self.context) = (data, context)
    }

    /// Gives the model the values of an object.
    public mutating func take(_ object: BackingData) {
        if data !== object { self = _ModelBacking(object, in: object.home?.context) }
    }

    /// Returns the values of the model, which gets some if it has none.
    public mutating func made() -> BackingData {
        if let data { return data }
        let made = BackingData()
        data = made
        return made
    }

    /// Sets a value while the model is being initialized.
    mutating func setInitial(_ content: consuming NewModelValue.Content, _ name: StaticString) {
        if data == nil { data = BackingData() }
        data?.setInitial(content, name)
    }

    /// Takes the values that a subclass got before its superclass was initialized, and returns those of the superclass,
    /// which are those of the model.
    ///
    /// - Parameter data: The values of the superclass.
    public mutating func joined(with data: BackingData) -> BackingData {
        if let own = self.data { data.adopt(own) }
        self.data = data
        return data
    }
}
