public import CairnModel
public import CairnObjects

// The accessors that `@Model` generates. Swift chooses one by the type of the property. The key path of the property itself
// is only made for observers.
extension PersistentModel {
    /// Returns the number of a property. In an optimized build, this is a constant: the offset of the variable that marks
    /// the property, as in Cairn's typed classes.
    @inlinable @inline(__always)
    public func _mark(_ path: ReferenceWritableKeyPath<Self, _NoValue>) -> _Property.Mark {
        _Property.Mark(of: path, in: self)
    }

    /// Returns the value of an attribute of a plain type.
    @inlinable @inline(__always) public func _value<Plain: _PlainValue>(
        _ backing: BackingData, _ mark: _Property.Mark, _ name: String,
        _ path: @autoclosure () -> KeyPath<Self, Plain>
    ) -> Plain {
        // Values that a read needs are in the row if the model has no changes.
        if !backing.notesReads(), let object = backing.object,
            let value = Plain._quickPresent(of: object, at: mark)
        {
            return value
        }
        return _generalValue(mark, name, path)
    }

    /// Returns the value of an optional attribute of a plain type.
    @inlinable @inline(__always) public func _value<Plain: _PlainValue>(
        _ backing: BackingData, _ mark: _Property.Mark, _ name: String,
        _ path: @autoclosure () -> KeyPath<Self, Plain?>
    ) -> Plain? {
        if !backing.notesReads(), let object = backing.object {
            if let value = Plain._quickPresent(of: object, at: mark) { return value }
            if Plain._isQuicklyNil(of: object, at: mark) { return nil }
        }
        return _generalValue(mark, name, path)
    }

    @inline(never) @usableFromInline func _generalValue<Plain: _PlainValue>(
        _ mark: _Property.Mark, _ name: String, _ path: () -> KeyPath<Self, Plain>
    ) -> Plain {
        let backing = noteRead(path)
        return Self.plain(backing, mark, name) ?? backing.valueOfNone(name)
    }

    @inline(never) @usableFromInline func _generalValue<Plain: _PlainValue>(
        _ mark: _Property.Mark, _ name: String, _ path: () -> KeyPath<Self, Plain?>
    ) -> Plain? {
        Self.plain(noteRead(path), mark, name)
    }

    private static func plain<Plain: _PlainValue>(
        _ backing: BackingData, _ mark: _Property.Mark, _ name: String
    ) -> Plain? {
        if let object = backing.object { return Plain._generalOptional(of: object, at: mark) }
        guard case .plain(let value)? = backing.value(name) else { return nil }
        return Plain(_attributeValue: value)
    }

    /// Sets an attribute of a plain type, optional or not.
    @inlinable public func _setValue<Plain: _PlainValue, Content>(
        _ value: Plain?, _ mark: _Property.Mark, _ name: String,
        _ path: @autoclosure () -> KeyPath<Self, Content>
    ) {
        _setPlain(value?._attributeValue ?? .null, mark, name, path)
    }

    @usableFromInline func _setPlain<Content>(
        _ value: CairnModel.Value, _ mark: _Property.Mark, _ name: String,
        _ path: () -> KeyPath<Self, Content>
    ) {
        change(path) { $0.setPlain(value, mark, name) }
    }

    /// Returns the value of an attribute.
    @_disfavoredOverload
    public func _value<Content: Codable>(
        _ backing: BackingData, _ mark: _Property.Mark, _ name: String,
        _ path: @autoclosure () -> KeyPath<Self, Content>
    ) -> Content {
        noteRead(path).attribute(mark, name)
    }

    /// Sets an attribute.
    @_disfavoredOverload
    public func _setValue<Content: Codable>(
        _ value: Content, _ mark: _Property.Mark, _ name: String,
        _ path: @autoclosure () -> KeyPath<Self, Content>
    ) {
        change(path) { $0.setAttribute(value, mark, name) }
    }

    /// Returns the destination of a to-one relationship that always has one.
    ///
    /// - Precondition: The relationship has a destination.
    public func _value<Other: PersistentModel>(
        _ backing: BackingData, _ mark: _Property.Mark, _ name: String,
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
    public func _value<Other: PersistentModel>(
        _ backing: BackingData, _ mark: _Property.Mark, _ name: String,
        _ path: @autoclosure () -> KeyPath<Self, Other?>
    ) -> Other? {
        noteRead(path).destination(mark, name, as: Other.self)
    }

    /// Sets a to-one relationship, optional or not.
    public func _setValue<Other: PersistentModel, Content>(
        _ value: Other?, _ mark: _Property.Mark, _ name: String,
        _ path: @autoclosure () -> KeyPath<Self, Content>
    ) {
        change(path) { $0.setDestination(value, mark, name, of: self) }
    }

    /// Returns the members of a to-many relationship.
    public func _value<Other: PersistentModel>(
        _ backing: BackingData, _ mark: _Property.Mark, _ name: String,
        _ path: @autoclosure () -> KeyPath<Self, [Other]>
    ) -> [Other] {
        noteRead(path).members(mark, name, as: Other.self) ?? []
    }

    /// Returns the members of a to-many relationship. An optional one is `nil` only before it is inserted.
    public func _value<Other: PersistentModel>(
        _ backing: BackingData, _ mark: _Property.Mark, _ name: String,
        _ path: @autoclosure () -> KeyPath<Self, [Other]?>
    ) -> [Other]? {
        noteRead(path).members(mark, name, as: Other.self)
    }

    /// Sets the members of a to-many relationship, optional or not. `nil` means none.
    public func _setValue<Other: PersistentModel, Content>(
        _ value: [Other]?, _ mark: _Property.Mark, _ name: String,
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
        defer { backing.hold(self) }
        // Nobody observes a model that has no registrar.
        guard let registrar = backing.registrar else { return body(backing) }
        registrar.withMutation(of: self, keyPath: path()) { body(backing) }
    }
}

// The accessors that initializers use. Swift chooses one by the type of the property.
extension BackingData {
    /// Sets an attribute of a plain type, optional or not, while the model is being initialized.
    @inlinable
    public func _setInitialValue<Plain: _PlainValue>(_ value: Plain?, forKey name: String) {
        setPlain(value?._attributeValue ?? .null, name)
    }

    /// Sets an attribute while the model is being initialized.
    @_disfavoredOverload
    public func _setInitialValue<Content: Codable>(_ value: Content, forKey name: String) {
        setValue(.other(value), name)
    }

    /// Sets a to-one relationship while the model is being initialized.
    public func _setInitialValue<Other: PersistentModel>(_ value: Other?, forKey name: String) {
        setValue(value.map(NewModelValue.Content.model) ?? .nothing, name)
    }

    /// Sets a to-many relationship while the model is being initialized.
    public func _setInitialValue<Other: PersistentModel>(_ value: [Other]?, forKey name: String) {
        setValue(NewModelValue.Content(value), name)
    }

    @usableFromInline func setPlain(_ value: CairnModel.Value, _ name: String) {
        setValue(.plain(value), name)
    }

    fileprivate func setPlain(
        _ value: CairnModel.Value, _ mark: _Property.Mark, _ name: String
    ) {
        guard let object else { return setValue(.plain(value), name) }
        object.setMarkedValue(value, at: mark)
    }
}
