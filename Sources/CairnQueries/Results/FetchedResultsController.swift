import CairnModel
import CairnObjects
import CairnStack
import Foundation

/// A controller that keeps the results of a fetch request up to date while its context changes. It groups
/// them into sections and reports how they change.
///
/// ```swift
/// let controller = FetchedResultsController(
///     fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "author.name")
/// controller.delegate = list
/// try controller.performFetch()
/// ```
///
/// Between events, the controller's objects are always the objects that the request would fetch, in the
/// same order. The controller follows unsaved changes, undo, and changes merged from other contexts. A
/// predicate, order or section may depend on related objects. As in a fetch, unsaved changes of related
/// objects are taken into account only if the fetched object itself has changes; otherwise, they take
/// effect when they are saved. Objects are grouped by section, and sections are in the order of their
/// first objects, so sort by the section's key path first.
///
/// Following an event costs a pass over the objects. It costs a fetch if the request has a limit or an
/// offset, or depends on related objects that changed. A controller belongs to its context and is used
/// only in the context's turns. It follows changes for as long as something holds it.
public final class FetchedResultsController<Result: ManagedObject> {
    /// The request, which must have at least one sort descriptor. If the request is changed, the
    /// controller uses the new request from the next ``performFetch()`` on.
    public var fetchRequest: FetchRequest<Result>
    /// The context that the objects are fetched with. Use the controller only in its turns.
    public let managedObjectContext: ManagedObjectContext
    /// The key path from an object to the name of its section. If it is `nil`, there is one section.
    public let sectionNameKeyPath: String?
    /// The delegate, which is notified of changes.
    public weak var delegate: (any FetchedResultsControllerDelegate<Result>)?

    private let broadcast = Broadcast<FetchedResultsChange>()
    private var query: ResultsQuery?
    /// The request that ``query`` was created from.
    private var followedRequest: FetchRequest<Result>
    private var entries: [ResultsLayout.Entry] = []
    private var layout: ResultsLayout?
    /// Created when the index path of an object is first needed.
    private var positions: [ObjectIdentifier: ResultsLayout.Position]?

    /// Creates a controller, which is empty until ``performFetch()`` is called.
    ///
    /// - Parameters:
    ///   - fetchRequest: The request, which must have at least one sort descriptor when
    ///     ``performFetch()`` is called.
    ///   - managedObjectContext: The context of the objects. Use the controller only in turns of this
    ///     context.
    ///   - sectionNameKeyPath: A key path whose values, as text, are the names of the sections. A
    ///     Boolean is "1" or "0", and `nil` is "".
    public init(
        fetchRequest: FetchRequest<Result>, managedObjectContext: ManagedObjectContext,
        sectionNameKeyPath: String? = nil
    ) {
        self.fetchRequest = fetchRequest
        followedRequest = fetchRequest
        self.managedObjectContext = managedObjectContext
        self.sectionNameKeyPath = sectionNameKeyPath
    }

    /// Creates a controller without a cache, like `cacheName: nil` in Core Data.
    ///
    /// - Parameters:
    ///   - fetchRequest: The request, which must have at least one sort descriptor when
    ///     ``performFetch()`` is called.
    ///   - managedObjectContext: The context of the objects. Use the controller only in turns of this
    ///     context.
    ///   - sectionNameKeyPath: A key path whose values are the names of the sections, or `nil` for a
    ///     single section.
    ///   - cacheName: Accepts only `nil`. Each ``performFetch()`` computes the sections, and nothing is
    ///     stored in files.
    public convenience init(
        fetchRequest: FetchRequest<Result>, managedObjectContext: ManagedObjectContext,
        sectionNameKeyPath: String?, cacheName: Never?
    ) {
        self.init(
            fetchRequest: fetchRequest, managedObjectContext: managedObjectContext,
            sectionNameKeyPath: sectionNameKeyPath)
    }

    /// Not available, because there is no cache.
    @available(*, unavailable, message: "Cairn caches no sections in files. Pass nil as cacheName.")
    public convenience init(
        fetchRequest: FetchRequest<Result>, managedObjectContext: ManagedObjectContext,
        sectionNameKeyPath: String?, cacheName: String
    ) {
        self.init(
            fetchRequest: fetchRequest, managedObjectContext: managedObjectContext,
            sectionNameKeyPath: sectionNameKeyPath)
    }

    /// Fetches the objects, and follows the context's changes from now on. Does not call the delegate.
    ///
    /// - Throws: `.resultsWithoutOrder` if the request has no sort descriptor; the errors of
    ///   `ManagedObjectContext.fetch(_:)`; and, for the section's key path, the errors of
    ///   ``ManagedObject/value(forKeyPath:)``.
    public func performFetch() throws(GraphError) {
        let request = fetchRequest
        let query = try ResultsQuery(
            request, sectionNameKeyPath: sectionNameKeyPath, in: managedObjectContext)
        entries = try fetchEntries(request, query)
        self.query = query
        followedRequest = request
        show(ResultsLayout(entries, hasNames: sectionNameKeyPath != nil))
        managedObjectContext.observers.remove(self)
        managedObjectContext.observers.add(self)
    }

    // MARK: Contents

    /// The objects in order, section by section. `nil` before the first fetch.
    public var fetchedObjects: [Result]? {
        layout?.sections.flatMap { $0.objects.compactMap { $0 as? Result } }
    }

    /// The sections in order. `nil` before the first fetch. If there is no key path for section names,
    /// there is one section.
    public var sections: [FetchedResultsSection<Result>]? {
        layout?.sections.map(section)
    }

    /// The IDs of the current contents. Empty before the first fetch.
    public var snapshot: FetchedResultsSnapshot { layout?.snapshot ?? FetchedResultsSnapshot() }

    /// A stream of the changes from now on, for one consumer in any task.
    public var changes: AsyncStream<FetchedResultsChange> { broadcast.stream() }

    /// Returns the object at an index path, or `nil` if there is no such object.
    public func object(at indexPath: IndexPath) -> Result? {
        guard let layout, indexPath.count == 2, layout.sections.indices.contains(indexPath.section)
        else { return nil }
        let objects = layout.sections[indexPath.section].objects
        guard objects.indices.contains(indexPath.item) else { return nil }
        return objects[indexPath.item] as? Result
    }

    /// Returns the index path of an object, or `nil` if the controller does not contain the object.
    public func indexPath(for object: Result) -> IndexPath? {
        if positions == nil { positions = layout?.positions }
        return positions?[ObjectIdentifier(object)]?.indexPath
    }

    // MARK: Index titles

    /// The titles of the sections that have one. Each title occurs once.
    public var sectionIndexTitles: [String] {
        var seen: Set<String> = []
        return (layout?.sections ?? []).compactMap { section in
            sectionIndexTitle(forSectionName: section.name).flatMap { title in
                seen.insert(title).inserted ? title : nil
            }
        }
    }

    /// Returns the index title of a section, which the delegate determines. Without a delegate, this is
    /// the first letter of the name in upper case, or `nil` for an empty name.
    public func sectionIndexTitle(forSectionName name: String) -> String? {
        guard let delegate else { return name.first.map { $0.uppercased() } }
        return delegate.controller(self, sectionIndexTitleForSectionName: name)
    }

    /// Returns the index of the first section with a title, or `nil` if no section has the title.
    public func section(forSectionIndexTitle title: String) -> Int? {
        layout?.sections.firstIndex { sectionIndexTitle(forSectionName: $0.name) == title }
    }

    // MARK: Following changes

    private func section(_ section: ResultsLayout.Section) -> FetchedResultsSection<Result> {
        FetchedResultsSection(
            name: section.name, indexTitle: sectionIndexTitle(forSectionName: section.name),
            objects: section.objects.compactMap { $0 as? Result })
    }

    private func show(_ layout: ResultsLayout) {
        self.layout = layout
        positions = nil
    }

    /// The request for a fetch that follows a change. The fetch continues if the task that made the
    /// change is cancelled, because the controller would otherwise show an outdated state.
    private var followingRequest: FetchRequest<Result> {
        var request = followedRequest
        request.isCancellable = false
        return request
    }

    /// Returns the query. It is created again if its predicate contains IDs that a save may have
    /// replaced.
    private func currentQuery() throws(GraphError) -> ResultsQuery {
        if let query, !query.hasTemporaryIDs { return query }
        let query = try ResultsQuery(
            followedRequest, sectionNameKeyPath: sectionNameKeyPath, in: managedObjectContext)
        self.query = query
        return query
    }

    private func fetchEntries(
        _ request: FetchRequest<Result>, _ query: ResultsQuery
    ) throws(GraphError) -> [ResultsLayout.Entry] {
        let results: FetchResults<Result> = try managedObjectContext.fetch(request)
        var entries: [ResultsLayout.Entry] = []
        entries.reserveCapacity(results.count)
        for object in results { entries.append(try query.entry(of: object)) }
        return entries
    }

    /// Updates the results to the current state of the objects, and reports the difference.
    ///
    /// - Parameters:
    ///   - changed: The objects whose values or IDs may have changed.
    ///   - removed: The objects that are no longer in the context.
    private func follow(changed: [ManagedObject], removed: [ManagedObject], refetches: Bool) {
        guard query != nil else { return }
        do {
            let query = try currentQuery()
            let touched = Set((changed + removed).map(ObjectIdentifier.init))
            let isMuch = changed.count > 64 + entries.count / 4
            let next =
                refetches || isMuch
                ? try fetchEntries(followingRequest, query)
                : try query.update(entries, changed: changed, touched: touched)
            // The layout is read only now, because a fetch ends the current event, and the controller may
            // receive that event in between.
            guard let layout else { return }
            let nextLayout = ResultsLayout(next, hasNames: sectionNameKeyPath != nil)
            let difference = ResultsDifference(from: layout, to: nextLayout, changed: touched)
            entries = next
            guard !difference.isEmpty else { return }
            tell(difference, from: layout, to: nextLayout)
        } catch {
            delegate?.controller(self, didFailWith: error)
        }
    }

    private func tell(
        _ difference: ResultsDifference, from old: ResultsLayout, to new: ResultsLayout
    ) {
        delegate?.controllerWillChangeContent(self)
        show(new)
        if let delegate { tell(difference, from: old, to: new, delegate) }
        delegate?.controllerDidChangeContent(self)
        let change = FetchedResultsChange(difference, to: new)
        delegate?.controller(self, didChangeContentWith: change)
        broadcast.send { change }
    }

    private func tell(
        _ difference: ResultsDifference, from old: ResultsLayout, to new: ResultsLayout,
        _ delegate: any FetchedResultsControllerDelegate<Result>
    ) {
        for index in difference.deletedSections {
            delegate.controller(
                self, didChange: section(old.sections[index]), atSectionIndex: index, for: .delete)
        }
        for index in difference.insertedSections {
            delegate.controller(
                self, didChange: section(new.sections[index]), atSectionIndex: index, for: .insert)
        }
        func tell(
            _ object: ManagedObject, _ from: ResultsLayout.Position?, _ to: ResultsLayout.Position?,
            _ type: FetchedResultsChangeType
        ) {
            guard let object = object as? Result else { return }
            delegate.controller(
                self, didChange: object, at: from?.indexPath, for: type,
                newIndexPath: to?.indexPath)
        }
        for change in difference.deleted { tell(change.object, change.position, nil, .delete) }
        for change in difference.inserted { tell(change.object, nil, change.position, .insert) }
        for change in difference.moved { tell(change.object, change.from, change.to, .move) }
        for change in difference.updated { tell(change.object, change.from, change.to, .update) }
    }
}

extension FetchedResultsController: ContextObserver {
    package func context(_ context: ManagedObjectContext, didChange changes: EventChanges) {
        guard let query else { return }
        if changes.invalidatesAll {
            follow(changed: [], removed: [], refetches: true)
            return
        }
        let present = changes.inserted + changes.updated + changes.refreshed + changes.invalidated
        let changed = present.filter(query.fetches)
        let removed = changes.deleted.filter(query.fetches)
        let readsOther =
            query.reads(present) || query.reads(changes.deleted) || query.reads(changes.merged)
        guard readsOther || !changed.isEmpty || !removed.isEmpty else { return }
        follow(changed: changed, removed: removed, refetches: readsOther || query.isPage)
    }

    package func context(_ context: ManagedObjectContext, didSave changes: EventChanges) {
        guard let query else { return }
        // The IDs of these objects have changed, and objects that compare as equal are sorted by ID.
        let renamed = (changes.inserted + changes.formerIDs.keys).filter(query.fetches)
        let readsOther =
            query.reads(changes.inserted) || query.reads(changes.updated)
            || query.reads(changes.deleted)
        guard readsOther || !renamed.isEmpty else { return }
        follow(changed: renamed, removed: [], refetches: readsOther || query.isPage)
    }
}

extension FetchedResultsChange {
    init(_ difference: ResultsDifference, to layout: ResultsLayout) {
        deletedSections = difference.deletedSections
        insertedSections = difference.insertedSections
        snapshot = layout.snapshot
        var objects: [ObjectChange] = []
        func add(_ object: ManagedObject, _ kind: Kind) {
            objects.append(ObjectChange(id: object.objectID, kind: kind))
        }
        for change in difference.deleted {
            add(change.object, .deleted(at: change.position.indexPath))
        }
        for change in difference.inserted {
            add(change.object, .inserted(at: change.position.indexPath))
        }
        for change in difference.moved {
            add(change.object, .moved(from: change.from.indexPath, to: change.to.indexPath))
        }
        for change in difference.updated {
            add(change.object, .updated(from: change.from.indexPath, to: change.to.indexPath))
        }
        self.objects = objects
    }
}
