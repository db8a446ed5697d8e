/// A setting of an entity that may differ between two versions of a model.
package enum EntityAspect: Sendable, Hashable, CaseIterable {
    /// The name differs. A renaming identifier indicates that it is the same entity.
    case name
    /// The entity inherits from a different entity. Renaming the superentity does not count as a difference.
    case superentity
    /// The entity became abstract or is no longer abstract. This changes the version hash.
    case isAbstract
    /// The class of the entity's objects differs. Stores are not affected.
    case managedObjectClassName
    /// The text that is added to the version hash differs. This changes the version hash.
    case versionHashModifier
    /// Only the renaming identifier differs. For a renamed entity, ``name`` is reported instead.
    case renamingIdentifier
    /// A mirroring store now includes the entity, or no longer does. No engine of Cairn uses this setting.
    case isSyncable
    /// The additional information from the author differs. Stores are not affected.
    case userInfo
}
