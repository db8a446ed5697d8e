import CairnStack

/// The streams of one context.
final class ContextStreams: Sendable {
    let changes = Broadcast<ObjectIDChanges>()
    let saves = Broadcast<ObjectIDChanges>()
    let merges = Broadcast<ObjectIDChanges>()
}
