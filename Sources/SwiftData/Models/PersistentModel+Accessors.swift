public import CairnModel
public import CairnObjects
public import CairnRows

// The accessors that `@Model` generates. Swift chooses one by the type of the property. The key path of the property itself
// is only made for observers.
extension PersistentModel {
    /// Returns the number of a property. In an optimized build, this is a constant: the offset of the variable that marks
    /// the property, as in Cairn's typed classes.
    @inlinable @inline(__always)
    public func _modelMark(_ path: ReferenceWritableKeyPath<Self, _NoValue>) -> _Property.Mark {
        _Property.Mark(of: path, in: self)
    }

    /// Returns the value of an attribute of a plain type.
    @inlinable @inline(__always) public func _modelValue<Plain: _PlainValue>(
        _ backing: Uncounted<BackingData>?, _ mark: _Property.Mark, _ name: StaticString,
        _ path: @autoclosure () -> KeyPath<Self, Plain>
    ) -> Plain {
        // Values that a read needs are in the row if the model has no changes. The model holds its backing data, so no
        // reference is counted.
        if let value = backing?.withObject({
            $0.notesReads ? nil : Plain._quickPresent(of: $0, at: mark)
        }) {
            return value
        }
        return _generalValue(mark, name, path)
    }

    /// Returns the value of an optional attribute of a plain type.
    @inlinable @inline(__always) public func _modelValue<Plain: _PlainValue>(
        _ backing: Uncounted<BackingData>?, _ mark: _Property.Mark, _ name: StaticString,
        _ path: @autoclosure () -> KeyPath<Self, Plain?>
    ) -> Plain? {
        if let value = backing?.withObject({ backing -> Plain?? in
            if backing.notesReads { return nil }
            if let value = Plain._quickPresent(of: backing, at: mark) { return .some(value) }
            return Plain._isQuicklyNil(of: backing, at: mark) ? .some(nil) : nil
        }) {
            return value
        }
        return _generalValue(mark, name, path)
    }

    @inline(never) @usableFromInline func _generalValue<Plain: _PlainValue>(
        _ mark: _Property.Mark, _ name: StaticString, _ path: () -> KeyPath<Self, Plain>
    ) -> Plain {
        let backing = noteRead(path)
        return Self.plain(backing, mark, name) ?? backing.valueOfNone(name)
    }

    @inline(never) @usableFromInline func _generalValue<Plain: _PlainValue>(
        _ mark: _Property.Mark, _ name: StaticString, _ path: () -> KeyPath<Self, Plain?>
    ) -> Plain? {
        Self.plain(noteRead(path), mark, name)
    }

    private static func plain<Plain: _PlainValue>(
        _ backing: BackingData, _ mark: _Property.Mark, _ name: StaticString
    ) -> Plain? {
        if let object = backing.object { return Plain._generalOptional(of: object, at: mark) }
        guard case .plain(let value)? = backing.newValues[name] else { return nil }
        return Plain(_attributeValue: value)
    }

    /// Sets an attribute of a plain type, optional or not.
    @inlinable public func _setModelValue<Plain: _PlainValue, Content>(
        _ value: Plain?, _ backing: Uncounted<BackingData>?, _ mark: _Property.Mark,
        _ name: StaticString,
        _ path: @autoclosure () -> KeyPath<Self, Content>
    ) {
        let value = value?._attributeValue ?? .null
        if backing?.withObject({ $0.setNew(value, name) }) == true { return }
        _setPlain(value, mark, name, path)
    }

    @usableFromInline func _setPlain<Content>(
        _ value: CairnModel.Value, _ mark: _Property.Mark, _ name: StaticString,
        _ path: () -> KeyPath<Self, Content>
    ) {
        change(path) { $0.setPlain(value, mark, name) }
    }

    /// Returns the value of an attribute.
    @_disfavoredOverload
    public func _modelValue<Content: Codable>(
        _ backing: Uncounted<BackingData>?, _ mark: _Property.Mark, _ name: StaticString,
        _ path: @autoclosure () -> KeyPath<Self, Content>
    ) -> Content {
        noteRead(path).attribute(mark, name)
    }

    /// Sets an attribute.
    @_disfavoredOverload
    public func _setModelValue<Content: Codable>(
        _ value: Content, _ backing: Uncounted<BackingData>?, _ mark: _Property.Mark,
        _ name: StaticString,
        _ path: @autoclosure () -> KeyPath<Self, Content>
    ) {
        change(path) { $0.setAttribute(value, mark, name) }
    }

    /// Returns the destination of a to-one relationship that always has one.
    ///
    /// - Precondition: The relationship has a destination.
    public func _modelValue<Other: PersistentModel>(
        _ backing: Uncounted<BackingData>?, _ mark: _Property.Mark, _ name: StaticString,
        _ path: @autoclosure () -> KeyPath<Self, Other>
    ) -> Other {
        guard let other = noteRead(path).destination(mark, name, as: Other.self) else {
            preconditionFailure(
                "\(Self.self).\(name) is not optional, but has no destination; declare it as optional,"
                    + " or set it before reading it")
        }
        return other
    }

    /// Returns the destination of a to-one relationship, or `nil` if it has none.
    public func _modelValue<Other: PersistentModel>(
        _ backing: Uncounted<BackingData>?, _ mark: _Property.Mark, _ name: StaticString,
        _ path: @autoclosure () -> KeyPath<Self, Other?>
    ) -> Other? {
        noteRead(path).destination(mark, name, as: Other.self)
    }

    /// Sets a to-one relationship, optional or not.
    @inlinable public func _setModelValue<Other: PersistentModel, Content>(
        _ value: Other?, _ backing: Uncounted<BackingData>?, _ mark: _Property.Mark,
        _ name: StaticString,
        _ path: @autoclosure () -> KeyPath<Self, Content>
    ) {
        if backing?.withObject({ $0.setNew(value, name, of: self) }) == true { return }
        _setDestination(value, mark, name, path)
    }

    @usableFromInline func _setDestination<Other: PersistentModel, Content>(
        _ value: Other?, _ mark: _Property.Mark, _ name: StaticString,
        _ path: () -> KeyPath<Self, Content>
    ) {
        change(path) { $0.setDestination(value, mark, name, of: self) }
    }

    /// Returns the members of a to-many relationship.
    public func _modelValue<Other: PersistentModel>(
        _ backing: Uncounted<BackingData>?, _ mark: _Property.Mark, _ name: StaticString,
        _ path: @autoclosure () -> KeyPath<Self, [Other]>
    ) -> [Other] {
        noteRead(path).members(mark, name, as: Other.self) ?? []
    }

    /// Returns the members of a to-many relationship. An optional one is `nil` only before it is inserted.
    public func _modelValue<Other: PersistentModel>(
        _ backing: Uncounted<BackingData>?, _ mark: _Property.Mark, _ name: StaticString,
        _ path: @autoclosure () -> KeyPath<Self, [Other]?>
    ) -> [Other]? {
        noteRead(path).members(mark, name, as: Other.self)
    }

    /// Sets the members of a to-many relationship, optional or not. `nil` means none.
    public func _setModelValue<Other: PersistentModel, Content>(
        _ value: [Other]?, _ backing: Uncounted<BackingData>?, _ mark: _Property.Mark,
        _ name: StaticString,
        _ path: @autoclosure () -> KeyPath<Self, Content>
    ) {
        change(path) { $0.setMembers(value, mark, name, of: self) }
    }

    private func noteRead<Value>(_ path: () -> KeyPath<Self, Value>) -> BackingData {
        let backing = persistentBackingData
        backing.registrarOfRead()?.access(self, keyPath: path())
        return backing
    }

    private func change<Value>(
        _ path: () -> KeyPath<Self, Value>, _ body: (BackingData) -> Void
    ) {
        let backing = persistentBackingData
        defer { backing.holdChanged(self) }
        // Nobody observes a model that has no registrar.
        guard let registrar = backing.registrar else { return body(backing) }
        registrar.withMutation(of: self, keyPath: path()) { body(backing) }
    }
}

// The accessors that initializers use. Swift chooses one by the type of the property.
extension _ModelBacking {
    /// Sets an attribute of a plain type, optional or not, while the model is being initialized.
    @inlinable public mutating func _setInitialValue<Plain: _PlainValue>(
        _ value: Plain?, forKey name: StaticString
    ) {
        setPlain(value?._attributeValue ?? .null, name)
    }

    /// Sets an attribute while the model is being initialized.
    @_disfavoredOverload
    public mutating func _setInitialValue<Content: Codable>(
        _ value: Content, forKey name: StaticString
    ) {
        setInitial(.other(value), name)
    }

    /// Sets a to-one relationship while the model is being initialized.
    @inlinable public mutating func _setInitialValue<Other: PersistentModel>(
        _ value: Other?, forKey name: StaticString
    ) {
        setModel(value, name)
    }

    /// Sets a to-many relationship while the model is being initialized.
    public mutating func _setInitialValue<Other: PersistentModel>(
        _ value: [Other]?, forKey name: StaticString
    ) {
        setInitial(NewModelValue.Content(value), name)
    }

    @usableFromInline
    mutating func setPlain(_ value: consuming CairnModel.Value, _ name: StaticString) {
        setInitial(.plain(value), name)
    }

    @usableFromInline mutating func setModel(
        _ model: (any PersistentModel)?, _ name: StaticString
    ) {
        setInitial(model.map(NewModelValue.Content.model) ?? .nothing, name)
    }
}
