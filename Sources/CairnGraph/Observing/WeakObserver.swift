struct WeakObserver {
    weak var observer: (any ContextObserver)?
}
