internal import CairnObjects
internal import CairnRows

/// What the models of one entity share in a context.
final class ModelHome {
    // Exclusivity is unchecked, because each insertion asks several times. One thread at a time uses a context.

    /// The context, which resets this when it ends, because it may have many models.
    @exclusivity(unchecked) private var uncountedContext: Uncounted<ModelContext>?
    let entity: ModelEntity
    let kind: ObjectKind
    /// Whether the context is that of the user interface, which is told of each change.
    let isMain: Bool
    /// Shared by the homes of a context. `nil` if probes notice nothing.
    let probe: TrackingProbe?
    /// The properties in the order in which the last initializer set them, which the next one usually repeats.
    @exclusivity(unchecked) private var order: [ModelProperty] = []

    init(
        _ entity: ModelEntity, _ kind: ObjectKind, in context: ModelContext, isMain: Bool,
        _ probe: TrackingProbe?
    ) {
        (self.entity, self.kind, uncountedContext) = (entity, kind, Uncounted(context))
        (self.isMain, self.probe) = (isMain, probe)
        kind.trackingOffset = TrackingWord.offset
    }

    /// `nil` after the context has ended.
    var context: ModelContext? { uncountedContext?.object }

    /// Notes that the context ends.
    func leaveContext() { uncountedContext = nil }

    /// Returns the mark of the property with a name. See ``property(_:at:)``.
    @inline(__always) func mark(_ name: StaticString, at index: Int) -> _Property.Mark? {
        if index < order.count, NewModelValues.areEqual(order[index].key, name) {
            return order[index].mark
        }
        return property(name, at: index)?.mark
    }

    /// Returns the property with a name. Looks it up only if it was not the last one at the index.
    func property(_ name: StaticString, at index: Int) -> ModelProperty? {
        if index < order.count, NewModelValues.areEqual(order[index].key, name) {
            return order[index]
        }
        guard let property = entity.properties["\(name)"] else { return nil }
        if index < order.count {
            order[index] = property
        } else if index == order.count {
            order.append(property)
        }
        return property
    }
}
