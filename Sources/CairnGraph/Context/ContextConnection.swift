import CairnModel
import Synchronization

/// Where a context's objects come from: given when the context is made, or once later.
///
/// Safe from any thread, because handles and children read it while the context is used elsewhere.
/// The context itself takes a later connection in with its next turn or call.
final class ContextConnection: Sendable {
    private final class Link: Sendable {
        let source: any ObjectSource
        let classes: ObjectClasses

        init(_ source: any ObjectSource, _ classes: ObjectClasses) {
            self.source = source
            self.classes = classes
        }
    }

    private let first: Link
    private let later = AtomicLazyReference<Link>()
    private let refused = AtomicLazyReference<Link>()

    /// - Parameter source: where objects come from; one that refuses can be replaced once.
    init(_ source: any ObjectSource, classes: ObjectClasses) {
        first = Link(source, classes)
    }

    private var current: Link { refused.load() ?? later.load() ?? first }
    var source: any ObjectSource { current.source }
    var classes: ObjectClasses { current.classes }

    /// Connects a context that was made without a source. Returns `false` if it has one already.
    func connect(to source: any ObjectSource, classes: ObjectClasses) -> Bool {
        guard first.source is RefusingSource, refused.load() == nil else { return false }
        let link = Link(source, classes)
        return later.storeIfNil(link) === link
    }

    /// Has everything that needs the source throw an error from now on. The first such error counts.
    func refuse(with error: GraphError) {
        _ = refused.storeIfNil(Link(RefusingSource(error, like: source), classes))
    }
}
