/// A setting of an entity that may differ between two versions of a model.
public enum EntityAspect: Sendable, Hashable, CaseIterable {
    /// The name differs. A renaming identifier indicates that it is the same entity.
    case name
    /// The entity inherits from a different entity. Renaming the superentity does not count as a difference.
    case superentity
    case isAbstract
    case managedObjectClassName
    case versionHashModifier
    /// Only the renaming identifier differs. For a renamed entity, ``name`` is reported instead.
    case renamingIdentifier
    case isSyncable
    case userInfo
}
